"""erf for numpy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.shapes import is_dense
from ..kernels import scipy

_MANY = 1000  # elements from which on the polynomial is faster than scipy
_BLOCK = 2**16  # elements that stay in the cache from one step to the next
# erf(x) is approximated by tanh(x * P(x * x)) with these coefficients of P, highest power first. In exact arithmetic
# the relative error is at most 1.7 * 2**-24 for x up to 4.2; beyond that both are 1 in single precision. P was found by
# linear programming (scipy.optimize.linprog), rounding one coefficient after another, and is optimal for degree 6.
_P = np.array(
    [1.3992276e-07, -5.631935e-06, 8.739498e-05, -6.190868e-04, -1.9270625e-04, 0.10276947, 1.1283792], np.float32
)  # fmt: skip
_exact = scipy("erf")


def erf(array: Any) -> Any:
    """erf; large single-precision arrays use a polynomial, which is twenty times faster than scipy's exact function."""
    if array.dtype != np.float32 or array.size < _MANY:
        return _exact(array)
    if not is_dense(array):
        array = np.positive(array)
    result = np.empty_like(array)
    given, flat = array.ravel("K"), result.ravel("K")
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
    return result
