"""The order of equal elements after an unstable sort: libstdc++'s std::sort.

Note [Unstable order]: torch sorts with std::sort unless stable=True. It partitions ranges longer than 16 around a
pivot, the median of three, and finishes with insertion sort, which is stable. So the order of equal elements in a
longer line follows from the partitions. Without equal elements there is only one order.
"""

from __future__ import annotations

import numpy as np

from ..indexing.gather_scatter import read_along
from ..registry import Array
from .partial_sort import heap_sorted

_SHORT = 16


def unstable_along(array: Array, where: Array, axis: int) -> None:
    """Rearrange equal elements of long lines from a stable order to that of torch's unstable sort.

    ``where`` holds the sorted order as indices along an axis; it is modified in place.
    """
    if array.shape[axis] <= _SHORT:
        return
    values = read_along(array, axis, where)
    lines, orders = values.swapaxes(axis, -1), where.swapaxes(axis, -1)
    differ = unequal_neighbours(lines)
    ranks = np.empty(array.shape[axis], np.int64)
    for line in np.argwhere(~differ.all(-1)):
        at = tuple(line)
        ranks[orders[at]] = np.concatenate([[0], np.cumsum(differ[at])])
        orders[at] = unstable_order(ranks)


def unequal_neighbours(lines: Array) -> Array:
    """Which elements of lines differ from their predecessor; all nans are equal."""
    before, after = lines[..., :-1], lines[..., 1:]
    return (after != before) & ((after == after) | (before == before))


def unstable_order(ranks: Array) -> Array:
    """The indices that std::sort returns for a line, given as ranks: equal ranks for equal elements."""
    order = np.arange(len(ranks))
    tied = np.bincount(ranks) > 1
    ranks = ranks.copy()
    depth = 2 * (len(ranks).bit_length() - 1)
    parts = [(0, len(ranks), depth)]
    while parts:
        first, last, depth = parts.pop()
        while last - first > _SHORT and np.count_nonzero(tied[ranks[first:last]]) > 1:
            if not depth:
                heap_sorted(ranks, order, first, last)
                break
            depth -= 1
            cut = _split(ranks, order, first, last)
            parts.append((cut, last, depth))
            last = cut
    return order[np.argsort(ranks, kind="stable")]  # the final insertion sort is stable


def _swap(ranks: Array, order: Array, a: int, b: int) -> None:
    ranks[a], ranks[b] = ranks[b], ranks[a]
    order[a], order[b] = order[b], order[a]


def _split(ranks: Array, order: Array, first: int, last: int) -> int:
    """Partition a range around its pivot as std::sort does; return the start of the upper part."""
    candidates = (first + 1, first + (last - first) // 2, last - 1)
    _swap(ranks, order, first, _median(ranks, *candidates))
    pivot, rest = ranks[first], ranks[first + 1 : last]
    upper = np.flatnonzero(rest >= pivot) + first + 1  # positions at which the search from the left stops
    lower = np.flatnonzero(rest <= pivot)[::-1] + first + 1
    count = min(len(upper), len(lower))
    swaps = int(
        np.count_nonzero(upper[:count] < lower[:count])
    )  # one goes up, the other down: those come first
    left, right = upper[:swaps], lower[:swaps]
    for array in (ranks, order):
        array[left], array[right] = array[right], array[left]
    stop = int(upper[swaps]) if swaps < len(upper) else last
    return min(stop, int(right[-1])) if swaps else stop


def _median(ranks: Array, a: int, b: int, c: int) -> int:
    """The position of the median of three, with libstdc++'s choice among equal ones."""
    x, y, z = ranks[a], ranks[b], ranks[c]
    if x < y:
        return b if y < z else c if x < z else a
    return a if x < z else c if y < z else b
