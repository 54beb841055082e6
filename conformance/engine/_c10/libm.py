"""log, log1p, exp and tan of float64 as the C library rounds them, which torch's samplers call.

numpy also calls the C library, except on CPUs with AVX-512. There it has functions of its own, which differ in the last
digit (log for 4 numbers of 1,000, log1p for 80).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .cpu_capability import FEATURES

Doubles = np.ndarray[Any, np.dtype[np.float64]]


def _one_by_one(function: Callable[[float], float]) -> Callable[[Doubles], Doubles]:
    return lambda x: np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


def _log(x: float) -> float:
    return math.log(x) if x else -math.inf


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


log, log1p, exp, tan = (
    (_one_by_one(_log), _one_by_one(math.log1p), _one_by_one(_exp), _one_by_one(math.tan))
    if FEATURES.get("AVX512_SKX")
    else (np.log, np.log1p, np.exp, np.tan)
)
