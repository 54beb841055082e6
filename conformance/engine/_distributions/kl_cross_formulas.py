"""Kullback-Leibler divergences of distributions of different types (torch: distributions/kl.py).

Note [Beyond the support]: the divergence is infinite if ``p`` has mass outside of the support of ``q``.
"""

from __future__ import annotations

import math
from typing import Any

from .._aten.creation.factories import ones_like
from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from .base_utils import euler_constant


def _infinite_where(beyond: Tensor, result: Tensor) -> Tensor:
    """See Note [Beyond the support]."""
    result[beyond] = math.inf
    return result


def _infinite_where_either(conditions: tuple[Tensor, Tensor], result: Tensor) -> Tensor:
    """A new tensor that is infinite where either condition holds."""
    return FUNCTIONS["where"](FUNCTIONS["max"](*conditions), ones_like(result) * math.inf, result)


def _x_log_x(x: Any) -> Tensor:
    return FUNCTIONS["xlogy"](x, x)


def kl_beta_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    return -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._log_norm()


def kl_uniform_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    result = kl_beta_continuous_bernoulli(p, q)
    beyond = p.high.ge(q.support.upper_bound), p.low.le(q.support.lower_bound)
    return _infinite_where_either(beyond, result)


def kl_bernoulli_poisson(p: Any, q: Any) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


def kl_beta_exponential(p: Any, q: Any) -> Tensor:
    less = -p.entropy() - q.rate.log()
    return less + q.rate * (p.concentration1 / (p.concentration1 + p.concentration0))


def kl_beta_gamma(p: Any, q: Any) -> Tensor:
    within = -p.entropy()
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    power = (q.concentration - 1) * (
        p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    )
    mean = q.rate * p.concentration1 / (p.concentration1 + p.concentration0)
    return within + normalizer - power + mean


def kl_beta_normal(p: Any, q: Any) -> Tensor:
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    variance = q.scale.pow(2)
    within = -p.entropy()
    log = 0.5 * (variance * 2 * math.pi).log()
    square = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    mixed, last = q.loc * mean, q.loc.pow(2) * 0.5
    return within + log + (square - mixed + last) / variance


def kl_beta_uniform(p: Any, q: Any) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    return _infinite_where((q.low > p.support.lower_bound) | (q.high < p.support.upper_bound), result)


def kl_continuous_bernoulli_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


def kl_continuous_bernoulli_normal(p: Any, q: Any) -> Tensor:
    within = -p.entropy()
    normalizer = 0.5 * (math.log(2.0 * math.pi) + (q.loc / q.scale).square()) + q.scale.log()
    moments = (p.variance + p.mean.square() - 2.0 * q.loc * p.mean) / (2.0 * q.scale.square())
    return within + normalizer + moments


def kl_continuous_bernoulli_uniform(p: Any, q: Any) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    inside = q.low.ge(p.support.lower_bound), q.high.le(p.support.upper_bound)
    return _infinite_where_either(inside, result)


def kl_exponential_gamma(p: Any, q: Any) -> Tensor:
    ratio, shape = q.rate / p.rate, q.concentration
    return -shape * ratio.log() + ratio + shape.lgamma() + shape * euler_constant - (1 + euler_constant)


def kl_exponential_gumbel(p: Any, q: Any) -> Tensor:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    log = product.log() - 1
    power = ratio.exp() * product / (product + 1)
    inverse = product.reciprocal()
    return log - ratio + power + inverse


def kl_exponential_normal(p: Any, q: Any) -> Tensor:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    log = 0.5 * (square * variance * 2 * math.pi).log()
    inverse, mixed, last = square.reciprocal(), q.loc / p.rate, q.loc.pow(2) * 0.5
    return log - 1 + (inverse - mixed + last) / variance


def kl_gamma_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


def kl_gamma_gumbel(p: Any, q: Any) -> Tensor:
    product, ratio, shape = p.rate * q.scale, q.loc / q.scale, p.concentration
    within = (shape - 1) * shape.digamma() - shape.lgamma() - shape
    log = product.log() + shape / product
    power = ratio.exp() * (1 + product.reciprocal()).pow(-shape) - ratio
    return within + log + power


def kl_gamma_normal(p: Any, q: Any) -> Tensor:
    variance, square, shape = q.scale.pow(2), p.rate.pow(2), p.concentration
    log = 0.5 * (square * variance * 2 * math.pi).log() - shape - shape.lgamma()
    second = 0.5 * (shape.pow(2) + shape) / square
    mixed = q.loc * shape / p.rate
    last = 0.5 * q.loc.pow(2)
    return log + (shape - 1) * shape.digamma() + (second - mixed + last) / variance


def kl_gumbel_normal(p: Any, q: Any) -> Tensor:
    ratio = p.scale / q.scale
    log = (ratio / math.sqrt(2 * math.pi)).log()
    spread = (math.pi * ratio * 0.5).pow(2) / 3
    distance = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -log + spread + distance - (euler_constant + 1)


def kl_laplace_normal(p: Any, q: Any) -> Tensor:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    log = 0.5 * (2 * ratio / math.pi).log()
    first, mixed, last = 0.5 * p.loc.pow(2), p.loc * q.loc, 0.5 * q.loc.pow(2)
    return -log + ratio + (first - mixed + last) / variance - 1


def kl_normal_gumbel(p: Any, q: Any) -> Tensor:
    of_p, squares, of_q = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    log = squares.log() * 0.5
    distance = of_p - of_q
    power = (-of_p + 0.5 * squares + of_q).exp()
    return -log + distance + power - (0.5 * (1 + math.log(2 * math.pi)))


def kl_normal_laplace(p: Any, q: Any) -> Tensor:
    distance, scales = p.loc - q.loc, p.scale / q.scale
    ratio = distance / p.scale
    log = scales.log()
    even = math.sqrt(2 / math.pi) * p.scale * (-0.5 * ratio.pow(2)).exp()
    odd = distance * (math.sqrt(0.5) * ratio).erf()
    return -log + (even + odd) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


def kl_pareto_exponential(p: Any, q: Any) -> Tensor:
    product = p.scale * q.rate
    log = (p.alpha / product).log()
    inverse = p.alpha.reciprocal()
    mean = p.alpha * product / (p.alpha - 1)
    return _infinite_where(p.alpha <= 1, log - inverse + mean - 1)


def kl_pareto_gamma(p: Any, q: Any) -> Tensor:
    of_log = p.scale.log() + p.alpha.reciprocal()
    within = p.alpha.log() - of_log
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    power = (1 - q.concentration) * of_log
    mean = q.rate * p.alpha * p.scale / (p.alpha - 1)
    return _infinite_where(p.alpha <= 1, within + normalizer + power + mean - 1)


def kl_pareto_normal(p: Any, q: Any) -> Tensor:
    variances = 2 * q.scale.pow(2)
    excess = p.scale / (p.alpha - 1)
    log = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    inverse = p.alpha.reciprocal()
    spread = p.alpha * excess.pow(2) / (p.alpha - 2)
    distance = (p.alpha * excess - q.loc).pow(2)
    return _infinite_where(p.alpha <= 2, log - inverse + (spread + distance) / variances - 1)


def kl_uniform_beta(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    log = width.log()
    ones = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    zeros = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    shares = q.concentration1.lgamma() + q.concentration0.lgamma()
    normalizer = shares - (q.concentration1 + q.concentration0).lgamma()
    beyond = (p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)
    return _infinite_where(beyond, zeros + normalizer - log - ones)


def kl_uniform_exponential(p: Any, q: Any) -> Tensor:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return _infinite_where(p.low < q.support.lower_bound, result)


def kl_uniform_gamma(p: Any, q: Any) -> Tensor:
    width, shape = p.high - p.low, q.concentration
    log = width.log()
    normalizer = shape.lgamma() - shape * q.rate.log()
    power = (1 - shape) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    mean = q.rate * (p.high + p.low) / 2
    return _infinite_where(p.low < q.support.lower_bound, -log + normalizer + power + mean)


def kl_uniform_gumbel(p: Any, q: Any) -> Tensor:
    ratio = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    log = ratio.log() + 0.5 * (high + low)
    return log - ratio * ((-high).exp() - (-low).exp())


def kl_uniform_normal(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    log = (math.sqrt(math.pi * 2) * q.scale / width).log()
    return log + 0.5 * (width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)) / q.scale.pow(2)


def kl_uniform_pareto(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    log = (q.alpha * q.scale.pow(q.alpha) * width).log()
    power = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    return _infinite_where(p.low < q.support.lower_bound, power * (q.alpha + 1) - log)
