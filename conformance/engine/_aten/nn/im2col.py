"""im2col and col2im: windows of images as columns, and back (torch: native/Im2Col.cpp, Col2Im.cpp)."""

from __future__ import annotations

import math

from ..._c10.errors import need_fitting
from ..kernels import refuse_integers
from ..registry import Array, op
from .convolution import Geometry, Ints, put_back, windows

PUBLIC = ()


def _blocks(sizes: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Ints:
    along = zip(sizes, kernel, dilation, padding, stride, strict=True)
    return tuple((n + 2 * p - (d * (k - 1) + 1)) // s + 1 for n, k, d, p, s in along)


def _check_settings(
    name: str, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints, *other: Ints
) -> None:
    settings = (kernel, dilation, padding, stride, *other)
    fits = all(len(each) == 2 for each in settings)
    need_fitting(fits and min(*kernel, *dilation) > 0 and min(padding) >= 0, name)


def _check_images(self: Array, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> None:
    """The shape checks of im2col (torch: native/im2col_shape_check.h)."""
    _check_settings("im2col", kernel, dilation, padding, stride)
    fits = self.ndim in (3, 4) and 0 not in self.shape[self.ndim - 3 :]
    need_fitting(fits and min(_blocks(self.shape[-2:], kernel, dilation, padding, stride)) > 0, "im2col")


def _check_columns(
    self: Array, output_size: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> None:
    """The shape checks of col2im (torch: native/im2col_shape_check.h)."""
    _check_settings("col2im", kernel, dilation, padding, stride, output_size)
    fits = self.ndim in (2, 3) and 0 not in self.shape[self.ndim - 2 :]
    blocks = math.prod(_blocks(output_size, kernel, dilation, padding, stride))
    fits = fits and not self.shape[-2] % math.prod(kernel) and self.shape[-1] == blocks
    need_fitting(fits, "col2im")


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
