"""kthvalue and topk among equal elements: libstdc++'s partial sorting algorithms, step by step.

Note [Ties in selection]: kthvalue, topk and mode move elements and stop when the selected ones are in place, so which
of several equal elements they return depends on the algorithm. kthvalue is torch's own quickselect; topk is libstdc++'s
nth_element and sort, or partial_sort for a small k; mode is a sort. These algorithms are reproduced here for lines with
ties among the selected elements; for other lines every algorithm returns the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import half_up
from ..registry import Array
from .introsort import Items, Less, heap_select, partial_sort, unstable_order
from .stable_sort import order_along

# kthvalue -----------------------------------------------------------------------------------------


def kth_index(array: Array, k: int, axis: int) -> Array:
    """The index of the element of rank k (from 0) along an axis."""
    lines = np.moveaxis(half_up(array), axis, -1)
    order = order_along(lines, -1, False)
    result = order[..., k].copy()
    ranked = np.take_along_axis(lines, order, -1)
    n = lines.shape[-1]
    tied = np.zeros(result.shape, bool)
    for neighbour in (k - 1, k + 1):
        if 0 <= neighbour < n:
            tied |= _same(ranked[..., neighbour], ranked[..., k])
    for place in np.argwhere(tied):
        result[tuple(place)] = _quickselect([(v, i) for i, v in enumerate(lines[tuple(place)].tolist())], k)
    return result


def _same(a: Array, b: Array) -> Any:
    return (a == b) | ((a != a) & (b != b))


def _greater(a: Any, b: Any) -> bool:
    """Whether a > b, with nan greatest; see Note [nan ranks last]."""
    return bool((a != a and b == b) or a > b)


def _quickselect(items: Items, k: int) -> int:
    left, right = 0, len(items) - 1

    def swap(i: int, j: int) -> None:
        items[i], items[j] = items[j], items[i]

    def above(i: int, j: int) -> bool:
        return _greater(items[i][0], items[j][0])

    while right > left:
        if right == left + 1:
            if above(left, right):
                swap(left, right)
            break
        swap(left + (right - left) // 2, left + 1)
        if above(left + 1, right):
            swap(left + 1, right)
        if above(left, right):
            swap(left, right)
        if above(left + 1, left):
            swap(left + 1, left)
        i, j, pivot = left + 1, right, items[left][0]
        while True:
            i += 1
            while _greater(pivot, items[i][0]):
                i += 1
            j -= 1
            while _greater(items[j][0], pivot):
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(left, j)
        if j <= k:
            left = i
        if j >= k:
            right = j - 1
    return items[k][1]


# topk ---------------------------------------------------------------------------------------------


def top_indices(array: Array, k: int, axis: int, largest: bool, in_order: bool) -> Array:
    """The indices of the k largest (or smallest) elements along an axis."""
    lines = half_up(array).swapaxes(axis, -1)
    n = lines.shape[-1]
    result, ranked = _ranked(lines, min(k + 1, n), largest)  # one more, to detect a tie with the k-th element
    result = np.ascontiguousarray(result[..., :k])
    ties = _same(ranked[..., 1:], ranked[..., :-1]).any(-1)
    if not in_order and k * 64 > n:
        ties = np.ones(ranked.shape[:-1])

    def before(a: Any, b: Any) -> bool:
        x, y = a[0], b[0]
        if largest:
            return bool((x != x and y == y) or x > y)
        return bool((x == x and y != y) or x < y)

    for place in np.argwhere(ties):
        items = [(v, i) for i, v in enumerate(lines[tuple(place)].tolist())]
        if k * 64 <= n:
            partial_sort(items, k, before)
        else:
            _nth_element(items, k - 1, before)
            if in_order:
                ranks = np.unique([v for v, _ in items[: k - 1]], return_inverse=True)[1]
                order = unstable_order(ranks.max(initial=0) - ranks if largest else ranks)
                items[: k - 1] = [items[i] for i in order]
        result[tuple(place)] = [i for _, i in items[:k]]
    return np.ascontiguousarray(result.swapaxes(-1, axis))


def _ranked(lines: Array, count: int, largest: bool) -> tuple[Array, Array]:
    """The sorted indices and values of the first ``count`` elements of each line; ties in any order."""
    n = lines.shape[-1]
    if 4 * count < n:  # partition first and sort only the selected ones
        cut = n - count if largest else count - 1
        few = np.argpartition(lines, cut, -1)[..., slice(cut, n) if largest else slice(count)]
        where, ranked = _ranked(np.take_along_axis(lines, few, -1), count, largest)
        return np.take_along_axis(few, where, -1), ranked
    where = np.argsort(lines, -1)[..., :: -1 if largest else 1][..., :count]
    return where, np.take_along_axis(lines, where, -1)


# libstdc++'s algorithms ---------------------------------------------------------------------------


def _nth_element(items: Items, nth: int, before: Less) -> None:
    first, last = 0, len(items)
    depth = 2 * (last.bit_length() - 1)
    while last - first > 3:
        if depth == 0:
            heap_select(items, first, nth + 1, last, before)
            items[first], items[nth] = items[nth], items[first]
            return
        depth -= 1
        cut = _partition_pivot(items, first, last, before)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insertion_sort(items, first, last, before)


def _partition_pivot(items: Items, first: int, last: int, before: Less) -> int:
    middle = first + (last - first) // 2
    _median_to_first(items, first, first + 1, middle, last - 1, before)
    left, right, pivot = first + 1, last, items[first]
    while True:
        while before(items[left], pivot):
            left += 1
        right -= 1
        while before(pivot, items[right]):
            right -= 1
        if not left < right:
            return left
        items[left], items[right] = items[right], items[left]
        left += 1


def _median_to_first(items: Items, result: int, a: int, b: int, c: int, before: Less) -> None:
    x, y, z = items[a], items[b], items[c]
    if before(x, y):
        chosen = b if before(y, z) else c if before(x, z) else a
    else:
        chosen = a if before(x, z) else c if before(y, z) else b
    items[result], items[chosen] = items[chosen], items[result]


def _insertion_sort(items: Items, first: int, last: int, before: Less) -> None:
    for i in range(first + 1, last):
        if before(items[i], items[first]):
            items.insert(first, items.pop(i))
        else:
            _insert(items, i, before)


def _insert(items: Items, i: int, before: Less) -> None:
    value = items[i]
    while before(value, items[i - 1]):
        items[i] = items[i - 1]
        i -= 1
    items[i] = value


PUBLIC = ()
