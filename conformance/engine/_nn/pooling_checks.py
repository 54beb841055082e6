"""Argument checks of pooling (torch: native/Pool.h, AdaptivePooling.h)."""

from __future__ import annotations

from .._aten.kernels import need_floats, need_reals
from .._aten.nn.pool_windows import Ints, complete, count_along, output_sizes
from .._aten.nn.pooling import kernel_of
from .._autograd.tensor import Tensor
from .._c10.dtypes import float32, float64, int64, is_half
from .._c10.errors import unimplemented
from .._c10.shapes import existing_dim


def check_dimensions(name: str, input: Tensor, spatial: int) -> None:
    """Check the number of dimensions, which torch does before it checks the settings."""
    shape = input._array.shape
    if name == "avg_pool2d":
        existing_dim(-3, len(shape))
    elif name == "max_pool1d" and (len(shape) not in (2, 3) or 0 in shape[-2:]):
        raise RuntimeError(f"max_pool1d: Expected 2D or 3D (batch mode) tensor, but got:{list(shape)}")
    elif spatial > 1 and len(shape) not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"non-empty {spatial + 1}D or {spatial + 2}D (batch mode) tensor expected for input"
        )


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
    if min(kernel, stride, dilation) <= 0 or not 0 <= padding <= kernel // 2:
        raise RuntimeError(
            "max_pool1d() kernel_size, stride and dilation must be greater than zero, padding at most half of kernel size"
        )
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


def _check_batch(input: Tensor, spatial: int) -> None:
    """Check that only the batch dimension is empty, if any."""
    shape = input._array.shape
    if len(shape) not in (spatial + 1, spatial + 2) or 0 in shape[-spatial - 1 :]:
        raise RuntimeError(
            f"Expected {spatial + 1}D or {spatial + 2}D (batch mode) tensor with optional 0 dim batch size for input, "
            f"but got:{list(shape)}"
        )


def check_max_input(input: Tensor, spatial: int, settings: list[Ints]) -> None:
    """Check the input of max pooling."""
    _check_batch(input, spatial)
    kernel, _, padding, _ = complete(spatial, *settings)
    # torch does not take the dilation into account
    if spatial == 3 and any(p > k // 2 for p, k in zip(padding, kernel, strict=True)):
        raise RuntimeError("pad should be smaller than or equal to half of kernel size")
    need_reals(kernel_of(f"max_pool{spatial}d", input._array), input._array)


def check_mean_input(input: Tensor, spatial: int, kernel: Ints) -> None:
    """Check the input of average pooling."""
    shape = input._array.shape
    _check_batch(input, spatial)
    if spatial == 3 and any(n < k for n, k in zip(shape[-3:], kernel, strict=True)):
        raise RuntimeError(f"input image {list(shape[-3:])} smaller than kernel size {list(kernel)}")
    if input.dtype not in (float32, float64, int64) and not (spatial == 2 and is_half(input._array.dtype)):
        name = kernel_of("avg_pool2d", input._array) if spatial == 2 else "avg_pool3d_out_frame"
        raise unimplemented(name, input._array.dtype)


def check_adaptive(name: str, input: Tensor, spatial: int, out: Ints) -> None:
    """Check sizes and dtype for adaptive pooling."""
    if len(out) != spatial or any(n < 0 for n in out):
        raise RuntimeError(f"{name}: output_size must be {spatial} non-negative numbers, but got {list(out)}")
    mean = "avg" in name
    if mean and all(n == 1 for n in out):
        return  # computed by mean, which has its own checks
    shape = input._array.shape
    if len(shape) not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"{name}(): Expected {spatial + 1}D or {spatial + 2}D tensor, but got {list(shape)}"
        )
    first = 1 if mean and spatial == 3 else len(shape) - spatial
    if not mean and len(shape) == spatial + 2:
        first -= 1
    if 0 in shape[first:]:
        raise RuntimeError(
            f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
            f"{list(shape)} with dimension {shape.index(0, first)} being empty"
        )
    if not mean or spatial == 3 or input._array.size:
        need_floats(f"{name}_cpu" if spatial == 3 else kernel_of(name, input._array), input._array)
