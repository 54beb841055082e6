"""kthvalue among equal elements: torch's quickselect, step by step (torch: native/Sorting.h)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import half_up
from ..registry import Array
from .stable_sort import order_along


def kth_index(array: Array, k: int, axis: int) -> Array:
    """The index of the element of rank k (from 0) along an axis."""
    lines = np.moveaxis(half_up(array), axis, -1)
    order = order_along(lines, -1, False)
    result = order[..., k].copy()
    found = np.take_along_axis(lines, result[..., None], -1)
    for place in np.argwhere((lines == found).sum(-1) > 1):
        result[tuple(place)] = _quickselect(list(enumerate(lines[tuple(place)].tolist())), k)
    return result


def _greater(a: Any, b: Any) -> bool:
    """Whether a > b, with nan greatest; see Note [nan ranks last]."""
    return bool((a != a and b == b) or a > b)


def _quickselect(items: list[tuple[int, Any]], k: int) -> int:
    left, right = 0, len(items) - 1

    def in_order(i: int, j: int) -> None:
        if _greater(items[i][1], items[j][1]):
            items[i], items[j] = items[j], items[i]

    while right > left:
        if right == left + 1:
            in_order(left, right)
            break
        middle = left + (right - left) // 2
        items[middle], items[left + 1] = items[left + 1], items[middle]
        in_order(left + 1, right)
        in_order(left, right)
        in_order(left + 1, left)
        i, j, pivot = left + 1, right, items[left][1]
        while True:
            i += 1
            while _greater(pivot, items[i][1]):
                i += 1
            j -= 1
            while _greater(items[j][1], pivot):
                j -= 1
            if j < i:
                break
            items[i], items[j] = items[j], items[i]
        items[left], items[j] = items[j], items[left]
        if j <= k:
            left = i
        if j >= k:
            right = j - 1
    return items[k][0]


PUBLIC = ()
