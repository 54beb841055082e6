"""Argument checks of pooling (torch: native/Pool.h, AdaptivePooling.h)."""

from __future__ import annotations

from .._aten.kernels import need_floats, need_reals
from .._aten.nn.pool_windows import Ints, complete, count_along, output_sizes
from .._aten.nn.pooling import kernel_of
from .._aten.type_promotion import kernels_check
from .._autograd.tensor import Tensor
from .._c10.dtypes import float32, float64, int64, is_half
from .._c10.errors import unimplemented
from .._c10.shapes import existing_dim


def positive(what: str, letter: str, sizes: Ints) -> None:
    if any(n <= 0 for n in sizes):
        text = " ".join(f"{letter}{axis}: {n}" for axis, n in zip("THW"[-len(sizes) :], sizes, strict=True))
        raise RuntimeError(f"{what} should be greater than zero, but got {text}")


@kernels_check
def check_dimensions(name: str, input: Tensor, spatial: int) -> None:
    """Check the number of dimensions, which torch does before it checks the settings."""
    shape = input._array.shape
    if name == "max_pool1d" and (len(shape) not in (2, 3) or 0 in shape[-2:]):
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{list(shape)}"
        )
    if name == "max_pool2d" and len(shape) not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if name == "avg_pool2d":
        existing_dim(-3, len(shape))
    if spatial == 3 and len(shape) not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")


@kernels_check
def check_sizes(input: Tensor, spatial: int, settings: list[Ints], ceil_mode: bool) -> None:
    shape = input._array.shape
    out = output_sizes(shape[-spatial:], complete(spatial, *settings), ceil_mode)
    if any(n < 1 for n in out):
        have, want = (
            "x".join(map(str, each)) for each in (shape[-spatial - 1 :], (shape[-spatial - 1], *out))
        )
        raise RuntimeError(
            f"Given input size: ({have}). Calculated output size: ({want}). Output size is too small"
        )


def check_line(input: Tensor, settings: list[Ints], ceil_mode: bool) -> None:
    (kernel,), (stride,), (padding,), (dilation,) = complete(1, *settings)
    for what, value in (("kernel_size", kernel), ("stride", stride)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {what} must be greater than zero, but got {value}")
    if padding < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
    if padding > kernel // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={padding} and "
            f"kernel_size={kernel}"
        )
    if dilation <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {dilation}")
    n = count_along(input._array.shape[-1], kernel, stride, padding, dilation, ceil_mode)
    if n <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {n}")
    need_floats("max_pool1d_impl", input._array)


def check_adaptive_line(name: str, input: Tensor) -> None:
    if input._array.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input._array.ndim}-dimensional tensor for argument #1 'self' (while "
            f"checking arguments for {name})"
        )


def check_planes(input: Tensor, spatial: int) -> None:
    """Check that only the batch dimension is empty, if any.

    Raises:
        RuntimeError: another dimension is empty, or the number of dimensions is wrong.
    """
    shape = input._array.shape
    if len(shape) not in (spatial + 1, spatial + 2) or 0 in shape[-spatial - 1 :]:
        raise RuntimeError(
            f"Expected {spatial + 1}D or {spatial + 2}D (batch mode) tensor with optional 0 dim batch size for input, "
            f"but got:{list(shape)}"
        )


def check_volumes(input: Tensor, kernel: str) -> None:
    """check_planes for 3d pooling, which has another message in torch."""
    shape = input._array.shape
    if 0 in shape[-4:]:
        raise RuntimeError(
            f"{kernel}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
            f"{list(shape)} and non-batch dimension 0 has length zero!"
        )


@kernels_check
def check_max_input(input: Tensor, spatial: int, settings: list[Ints]) -> None:
    """Check the input of max pooling."""
    if spatial == 3:
        check_volumes(input, "max_pool3d_with_indices_out_cpu_template")
        kernel, _, padding, _ = complete(3, *settings)
        if any(
            p > k // 2 for p, k in zip(padding, kernel, strict=True)
        ):  # torch does not take the dilation into account
            (t, h, w), (front, top, left) = kernel, padding
            raise RuntimeError(
                "pad should be smaller than or equal to half of kernel size, but got "
                f"kT: {t} kW: {w} kH: {h} padT: {front} padW: {left} padH: {top}"
            )
    else:
        check_planes(input, spatial)
    need_reals(kernel_of(f"max_pool{spatial}d", input._array), input._array)


@kernels_check
def check_mean_input(input: Tensor, spatial: int, kernel: Ints) -> None:
    """Check the input of average pooling."""
    shape = input._array.shape
    if spatial == 2:
        check_planes(input, 2)
    else:
        check_volumes(input, "avg_pool3d")
    if spatial == 3 and any(n < k for n, k in zip(shape[-3:], kernel, strict=True)):
        have, want = (
            " ".join(f"{letter}{axis}: {n}" for axis, n in zip("THW", each, strict=True))
            for letter, each in (("", shape[-3:]), ("k", kernel))
        )
        raise RuntimeError(f"input image ({have}) smaller than kernel size ({want})")
    if input.dtype not in (float32, float64, int64) and not (spatial == 2 and is_half(input._array.dtype)):
        name = kernel_of("avg_pool2d", input._array) if spatial == 2 else "avg_pool3d_out_frame"
        raise unimplemented(name, input._array.dtype)


@kernels_check
def check_adaptive_mean(name: str, input: Tensor, spatial: int, out: Ints) -> None:
    """Check sizes and dtype for adaptive average pooling."""
    if len(out) != spatial:
        raise RuntimeError(f"{name}: output_size must be {spatial}")
    if any(n < 0 for n in out):
        listed = ", ".join(map(str, out)) if spatial == 2 else f"{out[0]}, {out[1]},{out[2]}"
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{listed}}}"
        )
    if all(n == 1 for n in out):
        return  # computed by mean, which has its own checks
    shape = input._array.shape
    if len(shape) not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"{name}(): Expected {spatial + 1}D or {spatial + 2}D tensor, but got {list(shape)}"
        )
    _check_adaptive(name, input, 1 if spatial == 3 else len(shape) - spatial)
    if spatial == 3 or input._array.size:
        _check_kernel(name, input, spatial)


def check_adaptive_max(name: str, input: Tensor, spatial: int, out: Ints) -> None:
    """Check sizes and dtype for adaptive max pooling."""
    shape = input._array.shape
    if len(out) != spatial:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {spatial}")
    if len(shape) not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"{name}(): Expected {spatial + 1}D or {spatial + 2}D tensor, but got: {list(shape)}"
        )
    _check_adaptive(name, input, len(shape) - spatial - (len(shape) == spatial + 2))
    _check_kernel(name, input, spatial)
    if any(n < 0 for n in out):
        made = [*shape[:-spatial], *out]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(out)}: {made}")


def _check_adaptive(name: str, input: Tensor, first: int) -> None:
    shape = input._array.shape
    for axis in range(first, len(shape)):
        if not shape[axis]:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(shape)} with dimension {axis} being empty"
            )


def _check_kernel(name: str, input: Tensor, spatial: int) -> None:
    need_floats(f"{name}_cpu" if spatial == 3 else kernel_of(name, input._array), input._array)
