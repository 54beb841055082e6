"""Stable argsort along a dimension."""

from __future__ import annotations

import numpy as np

from ..kernels import half_up
from ..registry import Array

_LONG = 64  # from this line length on, sorting integer keys is faster, including their preparation


def order_along(array: Array, axis: int, descending: bool) -> Array:
    """The indices of a stable sort along an axis; nan is greatest."""
    array = half_up(array)  # numpy sorts bfloat16 nan first
    n = array.shape[axis]
    if array.dtype == np.float32 and n >= _LONG:
        return _order_of_floats(array, axis, descending)
    if not descending:
        return np.argsort(array, axis, kind="stable")
    # Flip before and after, so that equal elements keep their order.
    return np.flip(n - 1 - np.argsort(np.flip(array, axis), axis, kind="stable"), axis)


def _order_of_floats(array: Array, axis: int, descending: bool) -> Array:
    """order_along for float32: sort 64-bit keys whose upper half orders the numbers and whose lower half is the index.

    numpy's sort of integers is many times faster than its argsort.
    """
    bits = np.where(np.isnan(array), np.float32(np.nan), array + np.float32(0)).view(
        np.int32
    )  # a single nan and a single zero
    bits ^= bits >> 31 & 0x7FFFFFFF
    keys = (~bits if descending else bits).astype(np.int64) << 32
    keys |= np.moveaxis(np.arange(array.shape[axis]).reshape(-1, *(1,) * (array.ndim - 1)), 0, axis)
    keys.sort(axis)
    return keys & 0xFFFFFFFF


PUBLIC = ()
