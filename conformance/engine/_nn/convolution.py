"""The convolutions of torch.nn.functional, with their argument checks, unfold and fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._aten.nn.convolution import Geometry, Ints, as_setting, convolution, full, transposed_sizes
from .._aten.nn.im2col import col2im, im2col
from .._aten.pointwise.complex_parts import view_as_real
from .._aten.scalar_operands import times
from .._autograd.tensor import Tensor
from .._c10.dtypes import int64
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_once
from .padding import constant_pad


def _check(
    input: Tensor,
    weight: Tensor,
    bias: Any,
    geometry: Geometry,
    transposed: bool,
    output_padding: Ints,
    groups: int,
) -> None:
    shape, kernel = input._array.shape, weight._array.shape
    fits = len(shape) == len(kernel) and min(geometry.padding) >= 0
    fits = fits and min(*geometry.stride, *geometry.dilation) > 0
    fits = fits and 0 not in (*shape[2:], *kernel) and not kernel[0] % groups
    need_fitting(fits and (input.dtype.is_floating_point or input.dtype is int64), "convolution")
    channels = kernel[0] if transposed else kernel[1] * groups
    if shape[1] != channels:
        given = "transposed=1" if transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {given}, weight of size {list(kernel)}, expected input{list(shape)} to have {channels} "
            f"channels, but got {shape[1]} channels instead"
        )
    out = kernel[1] * groups if transposed else kernel[0]
    if bias is not None and bias._array.shape != (out,):
        given = "transposed=1, " if transposed else ""
        raise RuntimeError(
            f"Given {given}weight of size {list(kernel)}, expected bias to be 1-dimensional with {out} "
            f"elements, but got bias of size {list(bias._array.shape)} instead"
        )
    if transposed:
        _check_transposed(shape[2:], geometry, output_padding)
        return
    sizes = tuple(n + 2 * p for n, p in zip(shape[2:], geometry.padding, strict=True))
    if any(n < e for n, e in zip(sizes, geometry.extent(), strict=True)):
        have, want = (" x ".join(map(str, each)) for each in (sizes, geometry.extent()))
        raise RuntimeError(
            f"Calculated padded input size per channel: ({have}). Kernel size: ({want}). Kernel size can't be greater "
            "than actual input size"
        )


def _check_transposed(sizes: Ints, geometry: Geometry, output_padding: Ints) -> None:
    """Check the padding and the size of a transposed convolution's output."""
    given = zip(output_padding, geometry.stride, geometry.dilation, strict=True)
    fits = all(o < max(s, d) for o, s, d in given)
    need_fitting(fits and min(transposed_sizes(sizes, geometry, output_padding)) > 0, "conv_transpose")


def _with_batch_dim(name: str, input: Tensor, spatial: int) -> tuple[Tensor, bool]:
    ndim = input._array.ndim
    if ndim == spatial + 2:
        return input, True
    if ndim == spatial + 1:
        return input.unsqueeze(0), False
    raise RuntimeError(
        f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input to {name}, but got input of size: "
        f"{list(input._array.shape)}"
    )


def _same_padding(input: Tensor, weight: Tensor, stride: Ints, dilation: Ints) -> tuple[Tensor, Ints]:
    """The padding of padding='same'; asymmetric padding is added to the input first."""
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(dilation, weight._array.shape[2:], strict=True)]
    if any(t % 2 for t in total):
        warn_once(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
            "input be created (Triggered internally at ../aten/src/ATen/native/Convolution.cpp.)",
        )
        extra = [n for t in reversed(total) for n in (0, t % 2)]
        input = constant_pad(input, extra, 0)
    return input, tuple(t // 2 for t in total)


def _convolution(
    name: str, input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int,
    spatial: int, output_padding: Any = None,
) -> Tensor:  # fmt: skip
    need_fitting(bias is None or bias.dtype is input.dtype, name)
    input, batched = _with_batch_dim(name, input, spatial)
    found = _convolve(name, input, weight, bias, stride, padding, dilation, groups, output_padding)
    return found if batched else found.squeeze(0)


@composite(vmap="decompose")
def convolve(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int,
) -> Tensor:  # fmt: skip
    """torch.convolution of a batch; the weight's dimensions after the channels are the spatial ones.

    Raises:
        RuntimeError: the sizes do not match.
    """
    extra = output_padding if transposed else None
    return _convolve("convolution", input, weight, bias, stride, padding, dilation, groups, extra)


def _convolve(
    name: str, input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int,
    output_padding: Any,
) -> Tensor:  # fmt: skip
    if all(each is None or each._array.dtype.kind == "c" for each in (input, weight, bias)):

        def of_parts(input: Tensor, weight: Tensor, bias: Any) -> Tensor:
            return _convolve(name, input, weight, bias, stride, padding, dilation, groups, output_padding)

        return _complex_convolution(of_parts, input, weight, bias)
    transposed = output_padding is not None
    dims = weight._array.ndim - 2
    stride, dilation = as_setting(name, stride, dims), as_setting(name, dilation, dims)
    steps, spaces = full(stride, dims), full(dilation, dims)
    if isinstance(padding, str):
        need_fitting(padding in ("same", "valid"), name)
        around: Ints = (0,)
        if padding == "same":
            input, around = _same_padding(input, weight, steps, spaces)
        extra = (0,) * len(around)
    else:
        around = as_setting(name, padding, dims)
        extra = as_setting(name, output_padding or 0, dims)
    geometry = Geometry(weight._array.shape[2:], steps, full(around, dims), spaces)
    _check(input, weight, bias, geometry, transposed, full(extra, dims), groups)
    sizes = (0,) if bias is None else bias._array.shape
    return convolution(input, weight, bias, stride, around, dilation, transposed, extra, groups, sizes)


def check_backward(
    grad_output: Tensor,
    input: Tensor,
    weight: Tensor,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    groups: int,
) -> None:
    """Check the arguments of convolution_backward."""
    dims = weight._array.ndim - 2
    settings = (
        full(as_setting("convolution_backward", each, dims), dims) for each in (stride, padding, dilation)
    )
    geometry = Geometry(weight._array.shape[2:], *settings)
    _check(input, weight, None, geometry, False, (0,) * dims, groups)
    sizes = (weight._array.shape[0], *geometry.places(input._array.shape[2:]))
    need_fitting(grad_output._array.shape[1:] == sizes, "convolution_backward")


def _complex_convolution(
    convolve: Callable[[Tensor, Tensor, Any], Tensor], input: Tensor, weight: Tensor, bias: Any
) -> Tensor:
    """A complex convolution by three real ones, a, b and c (of the sums of the parts): (a - b) + i (c - a - b)."""
    (x, x_i), (w, w_i) = _real_and_imag(input), _real_and_imag(weight)
    b, b_i = (None, None) if bias is None else _real_and_imag(bias)
    first, second = convolve(x, w, b), convolve(x_i, w_i, None)
    b_sum = None if b is None or b_i is None else b + b_i  # here and below: see Note [Right operands first]
    w_sum = w + w_i
    third = convolve(x + x_i, w_sum, b_sum)
    turned = times(third - first - second, 1j)
    return first - second + turned


def _real_and_imag(tensor: Tensor) -> tuple[Tensor, Tensor]:
    both = view_as_real(tensor.resolve_conj())
    last = tensor._array.ndim
    return both.select(last, 0), both.select(last, 1)


def _conv(spatial: int) -> Callable[..., Tensor]:
    name = f"conv{spatial}d"

    @composite(vmap="decompose", autocast="lower_precision_fp")
    def function(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        """A convolution."""
        return _convolution(name, input, weight, bias, stride, padding, dilation, groups, spatial)

    function.__name__ = function.__qualname__ = name
    return function


def _conv_transpose(spatial: int) -> Callable[..., Tensor]:
    name = f"conv_transpose{spatial}d"

    @composite(vmap="decompose", autocast="lower_precision_fp")
    def function(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
    ) -> Tensor:  # fmt: skip
        """A transposed convolution."""
        extra = (0,) * spatial if output_padding.__class__ is int and not output_padding else output_padding
        need_fitting(extra is not None and extra != (), name)
        return _convolution(name, input, weight, bias, stride, padding, dilation, groups, spatial, extra)

    function.__name__ = function.__qualname__ = name
    return function


conv1d, conv2d, conv3d = map(_conv, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(_conv_transpose, (1, 2, 3))


def _pair(value: Any) -> Ints:
    return as_setting("fold", value, 2)


@composite(vmap="decompose")
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Sliding windows of images, each as a column (im2col)."""
    kernel, spaces, around, steps = map(_pair, (kernel_size, dilation, padding, stride))
    rows, columns = input.shape[-2:]
    return im2col(input, kernel, spaces, around, steps, rows, columns)


@composite(vmap="decompose")
def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Images as sums of overlapping columns (col2im)."""
    return col2im(input, *map(_pair, (output_size, kernel_size, dilation, padding, stride)))
