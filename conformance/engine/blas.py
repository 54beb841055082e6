"""What BLAS does in one pass over the numbers and numpy in two."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import FULL_PRECISION

_MANY = 16384  # numbers from which on scipy's wrapper pays, and is loaded


def add_product(array: np.ndarray[Any, Any], value: np.ndarray[Any, Any], factor: Any) -> None:
    """``array += value * factor``, of two arrays of one shape that lie apart.

    Many numbers are rounded once, after the sum, as torch rounds them all.
    """
    kind = array.dtype
    plain = (
        kind in FULL_PRECISION and value.dtype is kind and factor
    )  # a factor of 0 loses what is not finite
    if array.size < _MANY or not (plain and array.flags.c_contiguous and value.flags.c_contiguous):
        array += value * factor
        return
    from scipy.linalg import blas

    axpy = blas.saxpy if kind.itemsize == 4 else blas.daxpy
    axpy(value.reshape(-1), array.reshape(-1), a=factor)
