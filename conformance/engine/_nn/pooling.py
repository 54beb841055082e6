"""The pooling functions of torch.nn.functional, with their argument checks."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import index
from typing import Any

from .._aten.kernels import need_floats
from .._aten.nn.adaptive_pooling import ADAPTIVE_MAX, ADAPTIVE_MEAN
from .._aten.nn.convolution import as_setting as setting_of_ints
from .._aten.nn.convolution import full
from .._aten.nn.pool_windows import Ints, complete, output_sizes
from .._aten.nn.pooling import MAX, MEAN, UNPOOL
from .._aten.out import given
from .._autograd.batched_tensor import BatchedTensor
from .._autograd.tensor import Tensor, wrap
from .._autograd.views import increment_version
from .._c10.context import alert_not_deterministic
from .._c10.dtypes import int64, is_half
from .._c10.errors import need_fitting, unimplemented
from .._c10.layout import contiguous_format, suggest_memory_format
from .._c10.modes import state
from .._c10.operator_facts import composite
from .._c10.shapes import is_one_number
from .activation import relu


def as_setting(name: str, value: Any, spatial: int) -> Ints:
    """A setting as torch passes it on, which must be of ints."""
    ints = value if isinstance(value, (tuple, list)) else [value]
    need_fitting(all(hasattr(each, "__index__") and each.__class__ is not bool for each in ints), name)
    return setting_of_ints(name, value, spatial)


def _steps(name: str, stride: Any, spatial: int) -> Ints:
    return () if stride is None or stride in ([], ()) else as_setting(name, stride, spatial)


def _settings(
    name: str, input: Tensor, spatial: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
    divisor: int | None = None,
) -> list[Ints]:  # fmt: skip
    given = [as_setting(name, each, spatial) for each in (kernel_size, padding, dilation)]
    given.insert(1, _steps(name, stride, spatial))
    kernel, steps, paddings, dilations = complete(spatial, *given)
    shape = input._array.shape
    if len(shape) not in (spatial + 1, spatial + 2):
        if name == "avg_pool2d":
            input.size(-3)
            raise RuntimeError(
                f"Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(shape)}"
            )
        raise RuntimeError(
            f"non-empty {spatial + 1}D or {spatial + 2}D (batch mode) tensor expected for input"
        )
    need_fitting(0 not in shape[-spatial - 1 :], name)
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    need_fitting(min(*kernel, *steps, *dilations) > 0 and min(paddings) >= 0, name)
    if name == "avg_pool3d" and any(n < k for n, k in zip(shape[-3:], kernel, strict=True)):
        (t, h, w), (a, b, c) = shape[-3:], kernel
        have, want = f"T: {t} H: {h} W: {w}", f"kT: {a} kH: {b} kW: {c}"
        raise RuntimeError(f"input image ({have}) smaller than kernel size ({want})")
    for p, k, d in zip(paddings, kernel, dilations, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )
    # another check does not take the dilation into account
    need_fitting(all(p <= k // 2 for p, k in zip(paddings, kernel, strict=True)), name)
    out = output_sizes(shape[-spatial:], complete(spatial, *given), ceil_mode)
    if any(n < 1 for n in out):
        lead = (shape[-spatial - 1], 1)[: 1 + (spatial == 1)]  # one dimension is pooled as two
        have, want = ("x".join(map(str, (*lead, *each))) for each in (shape[-spatial:], out))
        raise RuntimeError(
            f"Given input size: ({have}). Calculated output size: ({want}). Output size is too small"
        )
    return given


# Max pooling --------------------------------------------------------------------------------------


def _max_pool(spatial: int) -> Callable[..., Any]:
    name = f"max_pool{spatial}d"

    def with_indices(input: Tensor, settings: list[Ints], ceil_mode: bool) -> Any:
        if spatial > 1:
            return MAX[spatial](input, *settings, ceil_mode)
        (kernel,), (step,), (paddings,), (dilations,) = complete(1, *settings)
        flat = [(1, kernel), (1, step), (0, paddings), (1, dilations)]
        found = MAX[2](input.unsqueeze(-2), *flat, ceil_mode)
        return tuple(each.squeeze(-2) for each in found)

    @composite(vmap="decompose", autocast="fp32" if spatial == 3 else None)
    def function(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        """The largest element of each window, with indices if ``return_indices``."""
        if spatial == 1 and not return_indices:
            _check_max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)
        settings = _settings(name, input, spatial, kernel_size, stride, padding, dilation, ceil_mode)
        alone = spatial == 1 and not (return_indices or _is_traced(input))
        if alone or input._array.dtype.kind not in "iu":
            need_floats("max_pool1d_impl" if alone else f"max_pool{max(spatial, 2)}d", input._array)
        found = with_indices(input, settings, ceil_mode)
        if alone:
            return _squeezed_output(found[0])
        return tuple(found) if return_indices else found[0]

    function.__name__, function.__qualname__ = name, f"_{name}"  # the name in errors about missing arguments
    return function


def _check_max_pool1d(input: Tensor, *settings: Any) -> None:
    """Check the settings of max_pool1d (torch: check_max_pool1d).

    Raises:
        RuntimeError: the input has other than 2 or 3 dimensions; a setting is out of range.
    """
    name = "max_pool1d"
    shape, (kernel_size, stride, padding, dilation, ceil_mode) = input._array.shape, settings
    if len(shape) not in (2, 3):
        raise RuntimeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:{list(shape)}"
        )
    (kernel,), (pad,), (dilated,) = (as_setting(name, each, 1) for each in (kernel_size, padding, dilation))
    (step,) = _steps(name, stride, 1) or (kernel,)
    half = f"padding should be at most half of kernel size, but got padding={pad} and kernel_size={kernel}"
    for fits, text in (
        (kernel > 0, f"kernel_size must be greater than zero, but got {kernel}"),
        (step > 0, f"stride must be greater than zero, but got {step}"),
        (pad >= 0, f"padding must be non-negative, but got {pad}"),
        (pad <= kernel // 2, half),
        (dilated > 0, f"dilation must be greater than zero, but got {dilated}"),
    ):
        if not fits:
            raise RuntimeError(f"{name}() {text}")
    (length,) = output_sizes(shape[-1:], complete(1, (kernel,), (step,), (pad,), (dilated,)), ceil_mode)
    if length < 1:
        raise RuntimeError(f"{name}() Invalid computed output size: {length}")


def _is_traced(input: Tensor) -> bool:
    """Whether the call is recorded, or the input has a tangent or is batched."""
    recorded = state.recording and input.requires_grad
    return bool(recorded or input._tangents or input.__class__ is BatchedTensor)


def _squeezed_output(pooled: Tensor) -> Tensor:
    """The output of torch's max_pool1d kernel, which is squeezed in place if there is no batch."""
    found = wrap(pooled._array)
    if found._array.ndim == 2:
        increment_version(found)
    return found


max_pool1d, max_pool2d, max_pool3d = map(_max_pool, (1, 2, 3))


def with_indices(pool: Callable[..., Any]) -> Callable[..., Any]:
    """The variant of a pooling function that returns indices."""

    @composite(vmap="decompose")
    def function(*args: Any, **kwargs: Any) -> Any:
        return pool(*args, **{**kwargs, "return_indices": True})

    function.__name__ = function.__qualname__ = f"{pool.__name__}_with_indices"
    return function


max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(
    with_indices, (max_pool1d, max_pool2d, max_pool3d)
)


# Average pooling ----------------------------------------------------------------------------------


def _check_lines(name: str, input: Tensor) -> None:
    ndim = input.dim()
    if ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {ndim}-dimensional tensor for argument #1 'self' (while checking "
            f"arguments for {name})"
        )


@composite(vmap="decompose")
def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The mean of each window."""
    _check_lines("avg_pool1d", input)
    kernel = as_setting("avg_pool1d", kernel_size, 1)
    steps = _steps("avg_pool1d", stride, 1) or kernel
    paddings = as_setting("avg_pool1d", padding, 1)
    found = _averages(
        input.unsqueeze(-2), 2, (1, *kernel), (1, *steps), (0, *paddings), ceil_mode, count_include_pad, None
    )
    return found.squeeze(-2)


def _averages(
    input: Tensor, spatial: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count: bool,
    divisor: int | None,
) -> Tensor:  # fmt: skip
    name = f"avg_pool{spatial}d"
    settings = _settings(name, input, spatial, kernel_size, stride, padding, 1, ceil_mode, divisor)
    if input.dtype is not int64:
        kernel = "avg_pool3d_out_frame" if spatial == 3 else name
        need_floats(kernel, input._array)
        if spatial == 3 and is_half(input._array.dtype):
            raise unimplemented(kernel, input._array.dtype)
    return MEAN[spatial](input, *settings[:3], ceil_mode, count, divisor)


def _avg_pool(spatial: int) -> Callable[..., Tensor]:
    @composite(
        vmap="decompose",
        autocast="fp32" if spatial == 3 else None,
        name=f"avg_pool{spatial}d",
        out="same_dtype",
    )
    def function(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None,
    ) -> Tensor:  # fmt: skip
        """The mean of each window."""
        found = _averages(
            input, spatial, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
        return given(f"avg_pool{spatial}d", out, found)

    function.__name__ = function.__qualname__ = f"avg_pool{spatial}d"
    return function


avg_pool2d, avg_pool3d = map(_avg_pool, (2, 3))


# Adaptive pooling ---------------------------------------------------------------------------------


def _output_sizes(name: str, output_size: Any, shape: Ints, spatial: int) -> Ints:
    if is_one_number(output_size):
        return as_setting(name, output_size, spatial)
    count = len(output_size)
    need_fitting(count == spatial and len(shape) > count, name)
    given = tuple(n if each is None else each for each, n in zip(output_size, shape[-count:], strict=True))
    return full(as_setting(name, given, spatial), spatial)


def _check_adaptive(name: str, input: Tensor, spatial: int, out: Ints) -> None:
    need_fitting(min(out) >= 0, name)
    if "avg" in name and all(n == 1 for n in out):
        return  # computed by mean, which has its own checks
    need_fitting(input._array.ndim in (spatial + 1, spatial + 2), name)
    need_fitting(0 not in input._array.shape[-spatial - (name != "adaptive_avg_pool2d") :], name)
    need_floats(name + "_cpu" * (spatial == 3), input._array)


@composite(vmap="decompose")
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The means of ``output_size`` windows of nearly equal length."""
    _check_lines("adaptive_avg_pool1d", input)
    (n,) = as_setting("adaptive_avg_pool1d", output_size, 1)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, n)).squeeze(-2)


def _adaptive_avg_pool(spatial: int) -> Callable[..., Tensor]:
    name = f"adaptive_avg_pool{spatial}d"

    @composite(vmap="decompose", autocast="fp32" if spatial == 3 else None)
    def function(input: Tensor, output_size: Any) -> Tensor:
        """The means of ``output_size`` windows of nearly equal size."""
        out = _output_sizes(name, output_size, input._array.shape, spatial)
        _check_adaptive(name, input, spatial, out)
        if all(n == 1 for n in out):
            found = input.mean(tuple(range(-1, -spatial - 1, -1)), keepdim=True)
            if input.dim() == spatial + 2 and suggest_memory_format(input._array) is not contiguous_format:
                n, c = input._array.shape[:2]
                found.as_strided_((n, c, *out), (c, 1, *(c for _ in out)))
            return found
        return ADAPTIVE_MEAN[spatial](input, out)

    function.__name__ = function.__qualname__ = name
    return function


adaptive_avg_pool2d, adaptive_avg_pool3d = map(_adaptive_avg_pool, (2, 3))


@composite(vmap="decompose")
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The maxima of ``output_size`` windows of nearly equal length."""
    _check_lines("adaptive_max_pool1d", input)
    (n,) = as_setting("adaptive_max_pool1d", output_size, 1)
    found = adaptive_max_pool2d(input.unsqueeze(-2), (1, n), True)
    found = tuple(each.squeeze(-2) for each in found)
    return found if return_indices else found[0]


def _adaptive_max_pool(spatial: int) -> Callable[..., Any]:
    name = f"adaptive_max_pool{spatial}d"

    @composite(vmap="decompose")
    def function(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        """The maxima of ``output_size`` windows of nearly equal size."""
        out = _output_sizes(name, output_size, input._array.shape, spatial)
        _check_adaptive(name, input, spatial, out)
        found = ADAPTIVE_MAX[spatial](input, out)
        return tuple(found) if return_indices else found[0]

    function.__name__, function.__qualname__ = name, f"_{name}"  # the name in errors about missing arguments
    return function


adaptive_max_pool2d, adaptive_max_pool3d = map(_adaptive_max_pool, (2, 3))
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = map(
    with_indices, (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d)
)


# Max unpooling and power-average pooling ----------------------------------------------------------


def _unpool_output_size(input: Tensor, kernel: Any, stride: Any, padding: Any, output_size: Any) -> Any:
    """The output's spatial size."""
    sizes, count = input._array.shape, len(kernel)
    default = [(sizes[d - count] - 1) * stride[d] + k - 2 * padding[d] for d, k in enumerate(kernel)]
    found = default
    if output_size is not None:
        found = output_size[2:] if len(output_size) == count + 2 else output_size
        for d, n in enumerate(default):
            least, most = n - stride[d], n + stride[d]
            if not least < found[d] < most:
                raise ValueError(
                    f'invalid output_size "{found}" (dim {d} must be between {least} and {most})'
                )
    return tuple(map(index, found))


def _max_unpool(spatial: int) -> Callable[..., Tensor]:
    name = f"max_unpool{spatial}d"

    @composite(vmap="decompose" if spatial == 1 else "fallback")
    def function(
        input: Tensor,
        indices: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        output_size: Any = None,
    ) -> Tensor:
        """Zeros, with each element at the index of its window's maximum."""
        settings = [kernel_size, kernel_size if stride is None else stride, padding]
        kernel, steps, paddings = (  # torch does not check their lengths
            (each,) * spatial if is_one_number(each) else tuple(each) for each in settings
        )
        out = _unpool_output_size(input, kernel, steps, paddings, output_size)
        alert_not_deterministic(f"max_unpooling{max(spatial, 2)}d_forward_out")
        if spatial == 1:
            found = UNPOOL[2](input.unsqueeze(-1), indices.unsqueeze(-1), (*out, 1))
            return found.squeeze(-1)
        return UNPOOL[spatial](input, indices, tuple(out))

    function.__name__ = function.__qualname__ = name
    return function


max_unpool1d, max_unpool2d, max_unpool3d = map(_max_unpool, (1, 2, 3))


def _lp_pool(spatial: int) -> Callable[..., Tensor]:
    name = f"lp_pool{spatial}d"
    average, largest = {
        1: (avg_pool1d, max_pool1d), 2: (avg_pool2d, max_pool2d), 3: (avg_pool3d, max_pool3d),
    }[spatial]  # fmt: skip

    @composite(vmap="decompose")
    def function(
        input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Tensor:
        """The p-norm of each window."""
        count = math.prod(full(as_setting(name, kernel_size, spatial), spatial))
        if norm_type == math.inf:
            return largest(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
        if norm_type == -math.inf:
            return -largest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
        out = average(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
        return (out.sign() * relu(out.abs())).mul(count).pow(1.0 / norm_type)

    function.__name__ = function.__qualname__ = name
    return function


lp_pool1d, lp_pool2d, lp_pool3d = map(_lp_pool, (1, 2, 3))
