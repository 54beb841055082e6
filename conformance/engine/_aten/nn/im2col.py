"""im2col and col2im: windows of images as columns, and back (torch: native/Im2Col.cpp, Col2Im.cpp)."""

from __future__ import annotations

import math

from ..._c10.shapes import existing_dim
from ..kernels import refuse_integers
from ..registry import Array, op
from .convolution import Geometry, Ints, put_back, windows

PUBLIC = ()


def _blocks(sizes: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Ints:
    along = zip(sizes, kernel, dilation, padding, stride, strict=True)
    return tuple((n + 2 * p - (d * (k - 1) + 1)) // s + 1 for n, k, d, p, s in along)


def _check_pairs(**settings: Ints) -> None:
    for name, given in settings.items():
        if len(given) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(given)}")


def _check_each(what: str, name: str, given: Ints, least: int = 1) -> None:
    if min(given) < least:
        must = "be greater than zero" if least else "be non-negative"
        raise RuntimeError(
            f"{what} should {must}, but got {name}_height: {given[0]} {name}_width: {given[1]}"
        )


def _check_images(self: Array, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> None:
    """The shape checks of im2col (torch: native/im2col_shape_check.h)."""
    _check_pairs(kernel_size=kernel, dilation=dilation, padding=padding, stride=stride)
    _check_each("kernel size", "kernel", kernel)
    _check_each("dilation", "dilation", dilation)
    _check_each("padding", "pad", padding, 0)
    _check_each("stride", "stride", stride)
    for dim in (1, 2):
        existing_dim(dim, self.ndim)
    if self.ndim not in (3, 4) or 0 in self.shape[self.ndim - 3 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(self.shape)}"
        )
    sizes = self.shape[-2:]
    blocks = _blocks(sizes, kernel, dilation, padding, stride)
    if any(n < 1 for n in blocks):
        raise RuntimeError(
            f"Given input with spatial size {sizes}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"calculated shape of the array of sliding blocks as {blocks}, but its components must be at least one."
        )


def _check_columns(
    self: Array, output_size: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> None:
    """The shape checks of col2im (torch: native/im2col_shape_check.h)."""
    _check_pairs(
        output_size=output_size, kernel_size=kernel, dilation=dilation, padding=padding, stride=stride
    )
    _check_each("kernel size", "kernel", kernel)
    _check_each("dilation", "dilation", dilation)
    _check_each("stride", "stride", stride)
    _check_each("padding", "pad", padding, 0)
    if self.ndim not in (2, 3) or 0 in self.shape[self.ndim - 2 :]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(self.shape)}"
        )
    rows, columns = self.shape[-2:]
    if rows % math.prod(kernel):
        raise RuntimeError(
            f"Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={kernel}."
        )
    blocks = _blocks(output_size, kernel, dilation, padding, stride)
    if columns != math.prod(blocks):
        raise RuntimeError(
            f"Given output_size={output_size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{blocks[0]} * {blocks[1]} = {math.prod(blocks)}, but got input.size(2)={columns}."
        )


@op(
    "Im2ColBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="folded",
    self=lambda grad, self_sym_argsize_minus_2, self_sym_argsize_minus_1, kernel_size, dilation, padding, stride: (
        col2im(
            grad, (self_sym_argsize_minus_2, self_sym_argsize_minus_1), kernel_size, dilation, padding, stride
        )
    ),
)
def im2col(
    self: Array, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints, self_sym_argsize_minus_2: int,
    self_sym_argsize_minus_1: int,
) -> Array:  # fmt: skip
    """The windows of images, each as a column."""
    _check_images(self, kernel_size, dilation, padding, stride)
    refuse_integers("im2col_out_cpu", self)
    result = windows(self, Geometry(kernel_size, stride, padding, dilation))
    lead = self.ndim - 3
    rows = self.shape[lead] * math.prod(kernel_size)
    return result.reshape(*self.shape[:lead], rows, math.prod(result.shape[-2:])).copy()


@op(
    "Col2ImBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="folded",
    self=lambda grad, output_size, kernel_size, dilation, padding, stride: im2col(
        grad, kernel_size, dilation, padding, stride, *output_size
    ),
)
def col2im(
    self: Array, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> Array:
    """Images to which overlapping columns are summed: the transpose of im2col."""
    _check_columns(self, output_size, kernel_size, dilation, padding, stride)
    refuse_integers("col2im_out_cpu", self)
    geometry = Geometry(kernel_size, stride, padding, dilation)
    channels = self.shape[-2] // math.prod(kernel_size)
    columns = self.reshape(*self.shape[:-2], channels, *kernel_size, *geometry.places(output_size))
    return put_back(columns, output_size, geometry)
