"""exp(x) - 1 and log(1 + x) on arrays, exact for small x."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.cpu_capability import FEATURES

_MANY = 1000  # elements from which on several steps are faster than one number at a time
_ONE_BY_ONE = not FEATURES.get("AVX512_SKX")  # so numpy has both in single precision elsewhere


def _by_steps(array: Any) -> bool:
    return _ONE_BY_ONE and array.dtype == np.float32 and array.size >= _MANY


def expm1(array: Any) -> Any:
    """exp(x) - 1; of many numbers without AVX-512 it is tanh(x / 2) * (exp(x) + 1), with a relative error below 5e-7."""
    if not _by_steps(array):
        return np.expm1(array)
    half = array * np.float32(0.5)
    found = np.exp(array)
    found += 1
    found *= np.tanh(half, out=half)
    return found


def log1p(array: Any) -> Any:
    """log(1 + x); of many numbers without AVX-512 it is log(w) less what w = 1 + x was rounded by, over w."""
    if not _by_steps(array):
        return np.log1p(array)
    w = array + np.float32(1)
    found = np.log(w)
    rounded = w - 1
    rounded -= array
    rounded /= w
    found -= np.fmax(rounded, -1, out=rounded)  # which is tiny, or nan where the logarithm is infinite
    return np.copysign(found, array, out=found)  # of -0
