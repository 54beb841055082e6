"""Stable argsort along a dimension."""

from __future__ import annotations

import numpy as np

from ..kernels import half_up
from ..registry import Array


def order_along(array: Array, axis: int, descending: bool) -> Array:
    """The indices of a stable sort along an axis; nan is greatest."""
    array = half_up(array)  # numpy sorts bfloat16 nan first
    n = array.shape[axis]
    if not descending:
        return np.argsort(array, axis, kind="stable")
    # Flip before and after, so that equal elements keep their order.
    return np.flip(n - 1 - np.argsort(np.flip(array, axis), axis, kind="stable"), axis)


PUBLIC = ()
