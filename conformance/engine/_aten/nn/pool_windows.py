"""The windows of pooling: how many there are, which places each covers, and what is found or added there.

Note [Windows]: a plane, the elements of one channel, is taken as one line, and a window is a list of places in it. So
the elements of all windows are taken at once, and what comes back to them is added at once. A place outside is that
behind the line's end, where whoever reads puts what counts for nothing; its index, should it be asked for, is that of
the window's first place inside.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    """The settings for each dimension, also where one was given for all; windows side by side without a stride."""
    settings = (kernel, stride or kernel, padding, dilation)
    return [tuple(each) * (spatial if len(each) == 1 else 1) for each in settings]


def count_along(n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows there are along a dimension; none starts in the padding behind."""
    reach = n + 2 * padding - dilation * (kernel - 1) - 1
    found = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (found - 1) * stride >= n + padding:
        found -= 1
    return found


def output_sizes(sizes: Ints, settings: list[Ints], ceil_mode: bool) -> Ints:
    """How many windows there are along each dimension."""
    along = zip(sizes, *settings, strict=True)
    return tuple(count_along(n, k, s, p, d, ceil_mode) for n, k, s, p, d in along)


# What they cover ----------------------------------------------------------------------------------


def planes(images: Array, spatial: int) -> Array:
    """Every plane as one line."""
    sizes = images.shape[images.ndim - spatial :]
    return images.reshape(math.prod(images.shape[: images.ndim - spatial]), math.prod(sizes))


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of a plane, see Note [Windows]."""

    area: int  # of the plane
    places: Array  # (number in the window, window)
    indices: Array
    inside: bool  # whether no place is outside

    def elements(self, lines: Array, outside: Any) -> Array:
        """The elements of each window (plane, number in the window, window)."""
        if not self.inside:
            beyond = np.full((len(lines), 1), outside, lines.dtype)
            lines = np.concatenate([lines, beyond], 1)
        return lines.take(self.places, 1)

    def largest(self, lines: Array) -> tuple[Array, Array]:
        """The largest element of each window and its index; of equal ones the first, but of nan the last."""
        lowest = -np.inf if lines.dtype.kind in "fV" else np.iinfo(lines.dtype).min
        elements = half_up(self.elements(lines, lowest))
        best = elements.max(1)
        chosen = (elements == best[:, None]).argmax(1)
        if np.isnan(best).any():
            last = len(self.places) - 1 - np.isnan(elements)[:, ::-1].argmax(1)
            chosen = np.where(np.isnan(best), last, chosen)
        return best.astype(lines.dtype, copy=False), self.indices[chosen, np.arange(best.shape[1])]

    def sums(self, lines: Array, kind: np.dtype[Any]) -> Array:
        """The sum of each window, one element after the other."""
        elements = self.elements(lines, 0)
        if elements.shape[2] == 1:  # numpy would add what lies in one line by halves
            return np.add.accumulate(elements, 1, kind)[:, -1] + 0
        return np.add.reduce(elements, 1, kind, initial=0)

    def spread(self, shares: Array) -> Array:
        """Planes to which each window adds its share at every place of it, one window after the other."""
        width = self.area + 1
        found = np.zeros(len(shares) * width, shares.dtype)
        places = self.places.T + (np.arange(len(shares)) * width)[:, None, None]
        np.add.at(found, places.reshape(-1), np.repeat(shares.reshape(-1), len(self.places)))
        return found.reshape(len(shares), width)[:, : self.area]


def _windows(sizes: Ints, along: Sequence[tuple[Array, Array]]) -> Windows:
    """The windows whose places along each dimension are given (window, number in the window), and the first inside."""
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
    """The windows of so many elements, which are so far apart."""
    along = []
    for o, k, s, p, d in zip(out, kernel, stride, padding, dilation, strict=True):
        start = np.arange(o) * s - p
        along.append((start[:, None] + np.arange(k) * d, np.where(start < 0, start % d, start)))
    return _windows(sizes, along)


def adaptive_lengths(n: int, out: int) -> tuple[Array, Array]:
    """Where so many windows of nearly equal length begin along a dimension, and how long they are."""
    number = np.arange(out)
    starts = number * n // out
    return starts, -(-(number + 1) * n // out) - starts


@functools.lru_cache(maxsize=32)
def adaptive_windows(sizes: Ints, out: Ints) -> Windows:
    """This many windows of nearly equal size."""
    along = []
    for n, o in zip(sizes, out, strict=True):
        starts, lengths = adaptive_lengths(n, o)
        number = np.arange(lengths.max(initial=1))
        along.append((np.where(number < lengths[:, None], starts[:, None] + number, n), starts))
    return _windows(sizes, along)


# The gradients of what the largest are ------------------------------------------------------------


def written_zeros(_self_sym_sizes: Ints, _self_scalar_type: dtypes.dtype) -> Tensor:
    """The formula of what has no gradient for its first operand, of which shape and dtype are kept."""
    return zeros_written(_self_sym_sizes, _self_scalar_type)


def at_indices(grad: Array, indices: Array, shape: Ints, spatial: int) -> Array:
    """Zeros with each gradient added where its element came from."""
    area = math.prod(shape[-spatial:])
    planes = math.prod(shape[:-spatial])
    flat = indices.reshape(planes, math.prod(indices.shape[-spatial:])) + (np.arange(planes) * area)[:, None]
    if dtypes.is_half(grad.dtype):
        halves = np.zeros(planes * area, grad.dtype)
        np.add.at(halves, flat.ravel(), grad.ravel())
        return halves.reshape(shape)
    found = np.bincount(flat.ravel(), grad.ravel().astype(np.float64), planes * area)
    return found.astype(grad.dtype).reshape(shape)


def gathered(grad: Tensor, indices: Tensor, spatial: int) -> Tensor:
    """torch's max_pool_double_backward: of each plane the elements that were the largest."""
    shape = indices._array.shape
    flat = (*shape[: len(shape) - spatial], math.prod(shape[len(shape) - spatial :]))
    lead = grad._array.shape[: len(shape) - spatial]
    area = math.prod(grad._array.shape[len(shape) - spatial :])
    try:
        planes = grad.view(*lead, area)
    except RuntimeError:
        planes = grad.contiguous().view(*lead, area)
    return planes.gather(-1, indices.reshape(flat)).view(shape)
