"""The error function on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rows import Array
from .kernels import scipy

_MANY = 1000  # elements from which on the fraction is faster than scipy
_BLOCK = 2**16  # elements that stay in the cache from one step to the next
_LIMIT = np.float32(4)  # erf is 1 in single precision from here
# erf(x) is about x * P(x * x) / Q(x * x), with a relative error below 5e-7 in single precision (Eigen has the same
# coefficients, highest power first).
_P = np.array(
    [-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04,
     -2.95459980854025e-03, -1.60960333262415e-02], np.float32
)  # fmt: skip
_Q = np.array(
    [
        -1.45660718464996e-05,
        -2.13374055278905e-04,
        -1.68282697438203e-03,
        -7.37332916720468e-03,
        -1.42647390514189e-02,
    ],
    np.float32,
)
_exact = scipy("erf")


def erf(array: Any) -> Any:
    """The error function of floats; scipy's is exact, and ten times slower where single precision is enough."""
    if array.dtype != np.float32 or array.size < _MANY:
        return _exact(array)
    found = array.clip(-_LIMIT, _LIMIT)
    flat = found.ravel("K")
    for start in range(0, flat.size, _BLOCK):
        x = flat[start : start + _BLOCK]
        square = x * x
        x *= _polynomial(_P, square)
        x /= _polynomial(_Q, square)
        x.clip(-1, 1, out=x)
    return found


def _polynomial(coefficients: Array, x: Array) -> Array:
    found = x * coefficients[0]
    for each in coefficients[1:-1]:
        found += each
        found *= x
    found += coefficients[-1]
    return found
