"""Derivatives of gamma and Dirichlet samples with respect to the parameters (torch: native/Distributions.h).

The samples are not elementary functions of uniform random numbers and the parameters. So torch differentiates the quantile
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


def of_dirichlet(sample: Array, concentration: Array, total: Array) -> Array:
    """torch._dirichlet_grad: the derivative of Dirichlet samples with respect to their concentrations, whose sum is ``total``."""
    return _shares(sample, concentration, total).astype(concentration.dtype)


@np.vectorize(otypes=[np.float64])
def _gammas(alpha: float, x: float) -> Number:
    return _gamma(Number(alpha), Number(x))


@np.vectorize(otypes=[np.float64])
def _shares(x: float, alpha: float, total: float) -> Number:
    return _share(Number(x), Number(alpha), Number(total))


def _defined(slope: Number) -> Number:
    return Number(0) if np.isnan(slope) else slope


# Gamma --------------------------------------------------------------------------------------------

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


# Beta ---------------------------------------------------------------------------------------------

# Numerator and denominator: by powers of log(x), of log(alpha / x), and of log(total * x / alpha).
_BETA = np.array([
    [[[1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
      [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
      [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013]],
     [[0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
      [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
      [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05]],
     [[-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
      [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
      [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05]]],
    [[[1, -0.02924021934, -0.04438342661, 0.007285809825],
      [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
      [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149]],
     [[0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
      [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
      [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05]],
     [[0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
      [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
      [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06]]],
])  # fmt: skip


def _share(x: Number, alpha: Number, total: Number) -> Number:
    beta = total - alpha
    boundary = total * x * (1 - x)
    if x <= 0.5 and boundary < 2.5:
        return _beta_near_0(x, alpha, beta)
    if x >= 0.5 and boundary < 0.75:
        return -_beta_near_1(1 - x, beta, alpha)
    if alpha > 6 and beta > 6:
        return _beta_at_saddle(x, alpha, beta)
    u = np.log(x)
    a = np.log(alpha) - u
    b = np.log(total) - a
    p, q = ((_BETA * b ** np.arange(4)).sum(-1) * a ** np.arange(3)).sum(-1) @ u ** np.arange(3)
    return p / q * x * (digamma(total) - digamma(alpha)) / beta


def _beta_near_0(x: Number, alpha: Number, beta: Number) -> Number:
    factor = digamma(alpha) - digamma(alpha + beta) - np.log(x)
    power = Number(1)
    series = power / alpha * (factor + 1 / alpha)
    for i in range(1, 11):
        power *= (i - beta) * x / i
        series += power / (alpha + i) * (factor + 1 / (alpha + i))
    return _defined(x * (1 - x) ** -beta * series)


def _beta_near_1(x: Number, alpha: Number, beta: Number) -> Number:
    factor = digamma(alpha + beta) - digamma(beta)
    power, betas, slope = Number(1), Number(1), Number(0)
    series = factor / alpha
    for i in range(1, 9):
        power *= -x / i
        slope = slope * (beta - i) + betas
        betas *= beta - i
        series += power / (alpha + i) * (slope + factor * betas)
    return _defined(-((1 - x) ** (1 - beta)) * series)


def _beta_at_saddle(x: Number, alpha: Number, beta: Number) -> Number:
    total = alpha + beta
    mean = alpha / total
    near = 0.1 * np.sqrt(alpha * beta / (total + 1)) / total
    if mean - near <= x <= mean + near:
        return _beta_at_mean(x, alpha, beta)
    away = alpha * (x - 1) + beta * x
    log = np.log(alpha / (total * x))
    first = 2 * alpha**2 * (x - 1) + alpha * beta * (x - 1) - x * beta**2
    first /= np.sqrt(2 * alpha / beta) * total**1.5 * away**2
    root = (beta * np.log(beta / (total * (1 - x))) + alpha * log) ** -1.5
    second = np.sqrt(8 * alpha * beta / total) / away + (root if x < mean else -root)
    stirling = _stirling(alpha) * _stirling(beta) / _stirling(total)
    return stirling * -x / np.sqrt(2 * alpha * beta / total) * (first + 0.5 * log * second)


def _beta_at_mean(x: Number, alpha: Number, beta: Number) -> Number:
    total = alpha + beta
    inner = (453 + 1620 * beta * (1 - x) - 455 * x) * beta + alpha * (8 * (1 - x) * (135 * beta - 11))
    middle = 3 * (59 + 180 * beta - 90 * x) * beta**2 + alpha * inner
    outer = (43 + 20 * (16 + 27 * beta) * x) * beta**3 + alpha * middle
    scale = (1 + 12 * alpha) * (1 + 12 * beta) / total**2 / (1 - x)
    return scale * (47 * x * beta**4 + alpha * outer) / (12960 * alpha**3 * beta**2 * (1 + 12 * total))


def _stirling(x: Number) -> Number:
    return 1 + 1 / (12 * x) + 1 / (288 * x * x)
