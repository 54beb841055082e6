"""The order of equal elements after an unstable sort: libstdc++'s std::sort and std::partial_sort.

Note [Unstable order]: torch sorts with std::sort unless stable=True. It partitions ranges longer than 16 around a
pivot, the median of three, and finishes with insertion sort, which is stable. So the order of equal elements in a
longer line follows from the partitions. Without equal elements there is only one order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..indexing.gather_scatter import read_along
from ..registry import Array

_SHORT = 16
Less = Callable[[Any, Any], bool]
Items = list[tuple[Any, int]]  # values and their original indices


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
                _heap_sorted(ranks, order, first, last)
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


# Heaps -------------------------------------------------------------------------------------------


def _heap_sorted(ranks: Array, order: Array, first: int, last: int) -> None:
    """Heap-sort a part of a line by its ranks, in place."""
    items = list(zip(ranks[first:last].tolist(), order[first:last].tolist(), strict=True))
    partial_sort(items, len(items), lambda a, b: bool(a[0] < b[0]))
    ranks[first:last], order[first:last] = zip(*items, strict=True)


def partial_sort(items: Items, k: int, before: Less) -> None:
    """Move the first k items in order to the front (std::partial_sort)."""
    heap_select(items, 0, k, len(items), before)
    _sort_heap(items, 0, k, before)


def heap_select(items: Items, first: int, middle: int, last: int, before: Less) -> None:
    """Move the first items of a range to its front, as a heap."""
    length = middle - first
    for parent in range((length - 2) // 2, -1, -1):
        _adjust_heap(items, first, parent, length, items[first + parent], before)
    for i in range(middle, last):
        if before(items[i], items[first]):
            value, items[i] = items[i], items[first]
            _adjust_heap(items, first, 0, length, value, before)


def _sort_heap(items: Items, first: int, last: int, before: Less) -> None:
    while last - first > 1:
        last -= 1
        value, items[last] = items[last], items[first]
        _adjust_heap(items, first, 0, last - first, value, before)


def _adjust_heap(items: Items, first: int, hole: int, length: int, value: Any, before: Less) -> None:
    top = child = hole
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if before(items[first + child], items[first + child - 1]):
            child -= 1
        items[first + hole] = items[first + child]
        hole = child
    if child == (length - 2) // 2:  # never if the length is odd
        child = 2 * (child + 1)
        items[first + hole] = items[first + child - 1]
        hole = child - 1
    while hole > top:
        parent = (hole - 1) // 2
        if not before(items[first + parent], value):
            break
        items[first + hole] = items[first + parent]
        hole = parent
    items[first + hole] = value
