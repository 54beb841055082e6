"""The stable order of elements along a dimension."""

from __future__ import annotations

import numpy as np

from ..kernels import half_up
from ..registry import Array

_LONG = 64  # elements of a line from which on numpy's sort of integers pays for its preparation


def order_along(array: Array, axis: int, descending: bool) -> Array:
    """Where the elements are found in order, equal ones in the order in which they are; nan is the greatest."""
    array = half_up(array)  # numpy ranks the nan of bfloat16 first
    n = array.shape[axis]
    if array.dtype == np.float32 and n >= _LONG:
        return _order_of_floats(array, axis, descending)
    if not descending:
        return np.argsort(array, axis, kind="stable")
    # Equal elements keep their order: reversed before and after.
    return np.flip(n - 1 - np.argsort(np.flip(array, axis), axis, kind="stable"), axis)


def _order_of_floats(array: Array, axis: int, descending: bool) -> Array:
    """The same by integers of which the upper half is in the order of the numbers, and the lower one is the place.

    numpy sorts integers many times faster than it finds an order.
    """
    bits = np.where(np.isnan(array), np.float32(np.nan), array + np.float32(0)).view(
        np.int32
    )  # one nan, one zero
    bits ^= bits >> 31 & 0x7FFFFFFF
    keys = (~bits if descending else bits).astype(np.int64) << 32
    keys |= np.moveaxis(np.arange(array.shape[axis]).reshape(-1, *(1,) * (array.ndim - 1)), 0, axis)
    keys.sort(axis)
    return keys & 0xFFFFFFFF


PUBLIC = ()
