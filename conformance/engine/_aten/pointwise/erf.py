"""The error function on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.shapes import is_dense
from ..kernels import scipy

_MANY = 1000  # elements from which on the polynomial is faster than scipy
_BLOCK = 2**16  # elements that stay in the cache from one step to the next
# erf(x) is about tanh(x * P(x * x)) with these coefficients of P, highest power first: in exact arithmetic to within 1.7
# of its 2**24th part, for every x up to 4.2; from there on both are 1. No other P of degree 6 comes nearer: it was found
# by linear programming (scipy.optimize.linprog), one coefficient after another rounded to single precision.
_P = np.array(
    [1.3992276e-07, -5.631935e-06, 8.739498e-05, -6.190868e-04, -1.9270625e-04, 0.10276947, 1.1283792], np.float32
)  # fmt: skip
_exact = scipy("erf")


def erf(array: Any) -> Any:
    """The error function of floats; scipy's is exact, and twenty times slower where single precision is enough."""
    if array.dtype != np.float32 or array.size < _MANY:
        return _exact(array)
    if not is_dense(array):
        array = np.positive(array)
    found = np.empty_like(array)
    given, flat = array.ravel("K"), found.ravel("K")
    for start in range(0, flat.size, _BLOCK):
        x, y = given[start : start + _BLOCK], flat[start : start + _BLOCK]
        square = x * x
        np.multiply(square, _P[0], y)
        for each in _P[1:-1]:
            y += each
            y *= square
        y += _P[-1]
        y *= x
        np.tanh(y, y)
    return found
