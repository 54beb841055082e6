"""Derivatives of gamma samples with respect to the concentration (torch: native/Distributions.h).

The samples are not elementary functions of uniform random numbers and the concentration. So torch differentiates the quantile
function implicitly, by one of three approximations: a Taylor series near 0, a saddle point expansion for large parameters,
and a fitted rational function in between.
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma

from .._aten.registry import Array

Number = np.float64


def of_gamma(concentration: Array, sample: Array) -> Array:
    """torch._standard_gamma_grad: the derivative of standard gamma samples with respect to the concentration."""
    return _gammas(concentration, sample).astype(concentration.dtype)


@np.vectorize(otypes=[np.float64])
def _gammas(alpha: float, x: float) -> Number:
    return _gamma(Number(alpha), Number(x))


def _defined(slope: Number) -> Number:
    return Number(0) if np.isnan(slope) else slope


# Numerator and denominator of a rational function of log(alpha), four powers each, by powers of log(x / alpha).
_GAMMA = np.array([
    [0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084],
    [0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
    [0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367,
     -1.5247877e-07],
])  # fmt: skip


def _gamma(alpha: Number, x: Number) -> Number:
    if x < 0.8:
        return _gamma_by_series(alpha, x)
    if alpha > 8:
        return _gamma_at_saddle(alpha, x)
    u, v = np.log(x / alpha), np.log(alpha)
    p0, p1, p2, p3, q0, q1, q2, q3 = _GAMMA[0] + u * (_GAMMA[1] + u * _GAMMA[2])
    return np.exp((p0 + v * (p1 + v * (p2 + v * p3))) / (q0 + v * (q1 + v * (q2 + v * q3))))


def _gamma_by_series(alpha: Number, x: Number) -> Number:
    power, denominator = Number(1), alpha
    first, second = power / denominator, power / denominator**2
    for i in range(1, 6):
        power *= -x / i
        denominator += 1
        first += power / denominator
        second += power / denominator**2
    moved = x**alpha * ((np.log(x) - digamma(alpha)) * first - second)
    return _defined(-moved / (x ** (alpha - 1) * np.exp(-x)))


def _gamma_at_saddle(alpha: Number, x: Number) -> Number:
    if 0.9 * alpha <= x <= 1.1 * alpha:
        first = 1 + 24 * alpha * (1 + 12 * alpha)
        second = 1440 * alpha**2 + 6 * x * (53 - 120 * x) - 65 * x * x / alpha + alpha * (107 + 3600 * x)
        return first * second / (1244160 * alpha**4)
    root, log = np.sqrt(8 * alpha), np.log(x / alpha)
    one, other = root / (alpha - x), (x - alpha - alpha * log) ** -1.5
    term = log * (one - other if x < alpha else one + other)
    term -= np.sqrt(2 / alpha) * (alpha + x) / (alpha - x) ** 2
    return -(1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha))) * x * term / root
