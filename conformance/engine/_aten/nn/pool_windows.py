"""The windows of pooling: their number, the elements that each covers, and maxima, sums and gradients over them.

Note [Windows]: a plane (the elements of one channel) is flattened to one line, and a window is a list of indices into
it, so all windows are gathered and scattered with one call each. An element outside the plane has the index one past
the line's end, where the reader appends a neutral value; if max pooling selects it, the reported index is that of the
window's first element inside.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10 import dtypes
from ..creation.factories import zeros_written
from ..kernels import half_up
from ..registry import Array

PUBLIC = ()
Ints = tuple[int, ...]

# How many there are -------------------------------------------------------------------------------


def complete(spatial: int, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints = (1,)) -> list[Ints]:
    """The settings for each dimension; a single number applies to all, and the stride defaults to the kernel size."""
    settings = (kernel, stride or kernel, padding, dilation)
    return [tuple(each) * (spatial if len(each) == 1 else 1) for each in settings]


def count_along(n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """The number of windows along a dimension; none starts in the right padding."""
    reach = n + 2 * padding - dilation * (kernel - 1) - 1
    result = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (result - 1) * stride >= n + padding:
        result -= 1
    return result


def output_sizes(sizes: Ints, settings: list[Ints], ceil_mode: bool) -> Ints:
    """The number of windows along each dimension."""
    along = zip(sizes, *settings, strict=True)
    return tuple(count_along(n, k, s, p, d, ceil_mode) for n, k, s, p, d in along)


# What they cover ----------------------------------------------------------------------------------


def planes(images: Array, spatial: int) -> Array:
    """Flatten every plane to one line."""
    sizes = images.shape[images.ndim - spatial :]
    return images.reshape(math.prod(images.shape[: images.ndim - spatial]), math.prod(sizes))


class Windows(NamedTuple):
    """The windows of a plane, see Note [Windows]."""

    area: int  # of the plane
    places: Array  # (element of the window, window)
    indices: Array
    inside: bool  # whether all elements are inside

    def elements(self, lines: Array, outside: Any) -> Array:
        """The elements of each window: (plane, element of the window, window)."""
        if not self.inside:
            beyond = np.full((len(lines), 1), outside, lines.dtype)
            lines = np.concatenate([lines, beyond], 1)
        return lines.take(self.places, 1)

    def largest(self, lines: Array) -> tuple[Array, Array]:
        """The maximum of each window and its index: the first among equal elements, but the last nan."""
        lowest = -np.inf if lines.dtype.kind in "fV" else np.iinfo(lines.dtype).min
        elements = half_up(self.elements(lines, lowest))
        best = elements.max(1)
        chosen = (elements == best[:, None]).argmax(1)
        if np.isnan(best).any():
            last = len(self.places) - 1 - np.isnan(elements)[:, ::-1].argmax(1)
            chosen = np.where(np.isnan(best), last, chosen)
        return best.astype(lines.dtype, copy=False), self.indices[chosen, np.arange(best.shape[1])]

    def sums(self, lines: Array) -> Array:
        """The sum of each window; halves are summed in single precision."""
        kind = np.promote_types(lines.dtype, np.float32)
        return np.add.reduce(self.elements(lines, 0), 1, kind, initial=0)

    def spread(self, shares: Array) -> Array:
        """Planes to which each window, in order, adds its share at each of its elements."""
        width = self.area + 1
        result = np.zeros(len(shares) * width, shares.dtype)
        places = self.places.T + (np.arange(len(shares)) * width)[:, None, None]
        np.add.at(result, places.ravel(), np.repeat(shares.ravel(), len(self.places)))
        return result.reshape(len(shares), width)[:, : self.area]


def _windows(sizes: Ints, along: Sequence[tuple[Array, Array]]) -> Windows:
    """Windows from the indices along each dimension (window, element), and from the first index inside."""
    spatial = len(sizes)
    places: Any = 0
    first: Any = 0
    inside: Any = True
    for axis, (n, (each, start)) in enumerate(zip(sizes, along, strict=True)):
        others = [i for i in range(2 * spatial) if i not in (axis, axis + spatial)]
        each, start = np.expand_dims(each, others), np.expand_dims(start[:, None], others)
        places, first = places * n + each, first * n + start
        inside = inside & (each >= 0) & (each < n)
    shape = math.prod(places.shape[:spatial]), math.prod(places.shape[spatial:])
    place, index = (
        np.ascontiguousarray(np.where(inside, places, instead).reshape(shape).T)
        for instead in (math.prod(sizes), first)
    )
    return Windows(math.prod(sizes), place, index, bool(inside.all()))


@functools.lru_cache(maxsize=32)
def windows(sizes: Ints, out: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Windows:
    """The windows of a given kernel size, stride, padding and dilation."""
    along = []
    for o, k, s, p, d in zip(out, kernel, stride, padding, dilation, strict=True):
        start = np.arange(o) * s - p
        along.append((start[:, None] + np.arange(k) * d, np.where(start < 0, start % d, start)))
    return _windows(sizes, along)


def adaptive_lengths(n: int, out: int) -> tuple[Array, Array]:
    """The starts and lengths of ``out`` adaptive windows along a dimension."""
    number = np.arange(out)
    starts = number * n // out
    return starts, -(-(number + 1) * n // out) - starts


@functools.lru_cache(maxsize=32)
def adaptive_windows(sizes: Ints, out: Ints) -> Windows:
    """The windows of adaptive pooling to a given output size."""
    along = []
    for n, o in zip(sizes, out, strict=True):
        starts, lengths = adaptive_lengths(n, o)
        number = np.arange(lengths.max(initial=1))
        along.append((np.where(number < lengths[:, None], starts[:, None] + number, n), starts))
    return _windows(sizes, along)


# The gradients of max pooling ---------------------------------------------------------------------


def written_zeros(_self_sym_sizes: Ints, _self_scalar_type: dtypes.dtype) -> Tensor:
    """The gradient of an operand that has none: zeros of its saved shape and dtype."""
    return zeros_written(_self_sym_sizes, _self_scalar_type)


def at_indices(grad: Array, indices: Array, shape: Ints, spatial: int) -> Array:
    """Zeros to which each gradient is added at the index of its element."""
    area = math.prod(shape[-spatial:])
    planes = math.prod(shape[:-spatial])
    flat = indices.reshape(planes, math.prod(indices.shape[-spatial:])) + (np.arange(planes) * area)[:, None]
    result = np.bincount(flat.ravel(), grad.ravel().astype(np.float64), planes * area)
    return result.astype(grad.dtype).reshape(shape)


def gathered(grad: Tensor, indices: Tensor, spatial: int) -> Tensor:
    """torch's max_pool_double_backward: gather the elements of ``grad`` at the maxima of each plane."""
    shape = indices._array.shape
    flat = (*shape[: len(shape) - spatial], math.prod(shape[len(shape) - spatial :]))
    lead = grad._array.shape[: len(shape) - spatial]
    area = math.prod(grad._array.shape[len(shape) - spatial :])
    try:
        planes = grad.view(*lead, area)
    except RuntimeError:
        planes = grad.contiguous().view(*lead, area)
    return planes.gather(-1, indices.reshape(flat)).view(shape)
