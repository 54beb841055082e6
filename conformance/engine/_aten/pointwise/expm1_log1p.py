"""expm1 and log1p for numpy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.cpu_capability import FEATURES

_MANY = 1000  # from this number of elements on, several vectorized steps are faster
_ONE_BY_ONE = not FEATURES.get("AVX512_SKX")  # numpy vectorizes both only with AVX-512


def _by_steps(array: Any) -> bool:
    return _ONE_BY_ONE and array.dtype == np.float32 and array.size >= _MANY


def expm1(array: Any) -> Any:
    """exp(x) - 1; without AVX-512, large arrays use tanh(x / 2) * (exp(x) + 1), whose relative error is below 5e-7."""
    if not _by_steps(array):
        return np.expm1(array)
    half = array * np.float32(0.5)
    result = np.exp(array)
    result += 1
    result *= np.tanh(half, out=half)
    return result


def log1p(array: Any) -> Any:
    """log(1 + x); without AVX-512, large arrays use log(w) minus the rounding error of w = 1 + x, divided by w."""
    if not _by_steps(array):
        return np.log1p(array)
    w = array + np.float32(1)
    result = np.log(w)
    rounded = w - 1
    rounded -= array
    rounded /= w
    result -= np.fmax(
        rounded, -1, out=rounded
    )  # the correction is tiny, or nan where the logarithm is infinite
    return np.copysign(result, array, out=result)  # keeps -0.0
