"""Kullback-Leibler divergences of distributions of different types (torch/distributions/kl.py).

Note [Beyond the support]: what may come where the other distribution has nothing diverges from it infinitely.
"""

from __future__ import annotations

import math
from typing import Any

from ..creation import full_like, ones_like
from ..linalg import solve_triangular
from ..ops import FUNCTIONS
from ..tensor import Tensor
from .counts import Binomial
from .gamma import Beta, Gamma
from .kl import register_kl
from .low_rank import LowRankMultivariateNormal
from .multivariate import MultivariateNormal, mahalanobis
from .tails import Pareto
from .transformed import EULER, Gumbel
from .unit import ContinuousBernoulli
from .univariate import Bernoulli, Exponential, Laplace, Normal, Poisson, Uniform

_BOUNDED = (Beta, ContinuousBernoulli, Pareto, Uniform)
_ON_ONE_SIDE = (*_BOUNDED, Exponential, Gamma)
# By type and a parameter, which has the result's shape: the types it is infinitely far from.
_INFINITE: tuple[tuple[type, str, tuple[type, ...]], ...] = (
    (Beta, "concentration1", (Pareto,)),
    (ContinuousBernoulli, "probs", (Pareto,)),
    (Exponential, "rate", _BOUNDED),
    (Gamma, "concentration", _BOUNDED),
    (Gumbel, "loc", _ON_ONE_SIDE),
    (Laplace, "loc", _ON_ONE_SIDE),
    (Normal, "loc", _ON_ONE_SIDE),
    (Pareto, "scale", (Beta, ContinuousBernoulli, Uniform)),
    (Poisson, "rate", (Bernoulli, Binomial)),
)


def _register_infinite(type_p: type, parameter: str, type_q: type) -> None:
    @register_kl(type_p, type_q)
    def infinite(p: Any, q: Any) -> Tensor:
        return full_like(getattr(p, parameter), math.inf)


for _type_p, _parameter, _others in _INFINITE:
    for _type_q in _others:
        _register_infinite(_type_p, _parameter, _type_q)


def _infinite_where(beyond: Tensor, result: Tensor) -> Tensor:
    """See Note [Beyond the support]."""
    result[beyond] = math.inf
    return result


def _x_log_x(x: Any) -> Tensor:
    return FUNCTIONS["xlogy"](x, x)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
@register_kl(Uniform, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Tensor:
    result = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._log_norm()
    if isinstance(p, Beta):
        return result
    beyond = p.high.ge(q.support.upper_bound), p.low.le(q.support.lower_bound)
    return _where_infinite(beyond, result)


def _where_infinite(either: tuple[Tensor, Tensor], result: Tensor) -> Tensor:
    return FUNCTIONS["where"](FUNCTIONS["max"](*either), ones_like(result) * math.inf, result)


@register_kl(Beta, Exponential)
def _beta_exponential(p: Beta, q: Exponential) -> Tensor:
    less = -p.entropy() - q.rate.log()
    return less + q.rate * (p.concentration1 / (p.concentration1 + p.concentration0))


@register_kl(Beta, Gamma)
def _beta_gamma(p: Beta, q: Gamma) -> Tensor:
    within = -p.entropy()
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    power = (q.concentration - 1) * (
        p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    )
    mean = q.rate * p.concentration1 / (p.concentration1 + p.concentration0)
    return within + normalizer - power + mean


@register_kl(Beta, Normal)
def _beta_normal(p: Beta, q: Normal) -> Tensor:
    mean = p.concentration1 / (p.concentration1 + p.concentration0)
    variance = q.scale.pow(2)
    within = -p.entropy()
    log = 0.5 * (variance * 2 * math.pi).log()
    square = (mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)) * 0.5
    mixed, last = q.loc * mean, q.loc.pow(2) * 0.5
    return within + log + (square - mixed + last) / variance


@register_kl(Beta, Uniform)
def _beta_uniform(p: Beta, q: Uniform) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    return _infinite_where((q.low > p.support.lower_bound) | (q.high < p.support.upper_bound), result)


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p: ContinuousBernoulli, q: Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p: ContinuousBernoulli, q: Normal) -> Tensor:
    within = -p.entropy()
    normalizer = 0.5 * (math.log(2.0 * math.pi) + (q.loc / q.scale).square()) + q.scale.log()
    moments = (p.variance + p.mean.square() - 2.0 * q.loc * p.mean) / (2.0 * q.scale.square())
    return within + normalizer + moments


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: ContinuousBernoulli, q: Uniform) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    inside = q.low.ge(p.support.lower_bound), q.high.le(p.support.upper_bound)
    return _where_infinite(inside, result)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    ratio, shape = q.rate / p.rate, q.concentration
    return -shape * ratio.log() + ratio + shape.lgamma() + shape * EULER - (1 + EULER)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Exponential, q: Gumbel) -> Tensor:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    log = product.log() - 1
    power = ratio.exp() * product / (product + 1)
    inverse = product.reciprocal()
    return log - ratio + power + inverse


@register_kl(Exponential, Normal)
def _exponential_normal(p: Exponential, q: Normal) -> Tensor:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    log = 0.5 * (square * variance * 2 * math.pi).log()
    inverse, mixed, last = square.reciprocal(), q.loc / p.rate, q.loc.pow(2) * 0.5
    return log - 1 + (inverse - mixed + last) / variance


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Gamma, q: Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Gamma, q: Gumbel) -> Tensor:
    product, ratio, shape = p.rate * q.scale, q.loc / q.scale, p.concentration
    within = (shape - 1) * shape.digamma() - shape.lgamma() - shape
    log = product.log() + shape / product
    power = ratio.exp() * (1 + product.reciprocal()).pow(-shape) - ratio
    return within + log + power


@register_kl(Gamma, Normal)
def _gamma_normal(p: Gamma, q: Normal) -> Tensor:
    variance, square, shape = q.scale.pow(2), p.rate.pow(2), p.concentration
    log = 0.5 * (square * variance * 2 * math.pi).log() - shape - shape.lgamma()
    second = 0.5 * (shape.pow(2) + shape) / square
    mixed = q.loc * shape / p.rate
    last = 0.5 * q.loc.pow(2)
    return log + (shape - 1) * shape.digamma() + (second - mixed + last) / variance


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Gumbel, q: Normal) -> Tensor:
    ratio = p.scale / q.scale
    log = (ratio / math.sqrt(2 * math.pi)).log()
    spread = (math.pi * ratio * 0.5).pow(2) / 3
    distance = ((p.loc + p.scale * EULER - q.loc) / q.scale).pow(2) * 0.5
    return -log + spread + distance - (EULER + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p: Laplace, q: Normal) -> Tensor:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    log = 0.5 * (2 * ratio / math.pi).log()
    first, mixed, last = 0.5 * p.loc.pow(2), p.loc * q.loc, 0.5 * q.loc.pow(2)
    return -log + ratio + (first - mixed + last) / variance - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Normal, q: Gumbel) -> Tensor:
    of_p, squares, of_q = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    log = squares.log() * 0.5
    distance = of_p - of_q
    power = (-of_p + 0.5 * squares + of_q).exp()
    return -log + distance + power - (0.5 * (1 + math.log(2 * math.pi)))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    distance, scales = p.loc - q.loc, p.scale / q.scale
    ratio = distance / p.scale
    log = scales.log()
    even = math.sqrt(2 / math.pi) * p.scale * (-0.5 * ratio.pow(2)).exp()
    odd = distance * (math.sqrt(0.5) * ratio).erf()
    return -log + (even + odd) / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Pareto, q: Exponential) -> Tensor:
    product = p.scale * q.rate
    log = (p.alpha / product).log()
    inverse = p.alpha.reciprocal()
    mean = p.alpha * product / (p.alpha - 1)
    return _infinite_where(p.alpha <= 1, log - inverse + mean - 1)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Pareto, q: Gamma) -> Tensor:
    of_log = p.scale.log() + p.alpha.reciprocal()
    within = p.alpha.log() - of_log
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    power = (1 - q.concentration) * of_log
    mean = q.rate * p.alpha * p.scale / (p.alpha - 1)
    return _infinite_where(p.alpha <= 1, within + normalizer + power + mean - 1)


@register_kl(Pareto, Normal)
def _pareto_normal(p: Pareto, q: Normal) -> Tensor:
    variances = 2 * q.scale.pow(2)
    excess = p.scale / (p.alpha - 1)
    log = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    inverse = p.alpha.reciprocal()
    spread = p.alpha * excess.pow(2) / (p.alpha - 2)
    distance = (p.alpha * excess - q.loc).pow(2)
    return _infinite_where(p.alpha <= 2, log - inverse + (spread + distance) / variances - 1)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Uniform, q: Beta) -> Tensor:
    width = p.high - p.low
    log = width.log()
    ones = (q.concentration1 - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    zeros = (q.concentration0 - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    shares = q.concentration1.lgamma() + q.concentration0.lgamma()
    normalizer = shares - (q.concentration1 + q.concentration0).lgamma()
    beyond = (p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)
    return _infinite_where(beyond, zeros + normalizer - log - ones)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Uniform, q: Exponential) -> Tensor:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return _infinite_where(p.low < q.support.lower_bound, result)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Uniform, q: Gamma) -> Tensor:
    width, shape = p.high - p.low, q.concentration
    log = width.log()
    normalizer = shape.lgamma() - shape * q.rate.log()
    power = (1 - shape) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    mean = q.rate * (p.high + p.low) / 2
    return _infinite_where(p.low < q.support.lower_bound, -log + normalizer + power + mean)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Uniform, q: Gumbel) -> Tensor:
    ratio = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    log = ratio.log() + 0.5 * (high + low)
    return log - ratio * ((-high).exp() - (-low).exp())


@register_kl(Uniform, Normal)
def _uniform_normal(p: Uniform, q: Normal) -> Tensor:
    width = p.high - p.low
    log = (math.sqrt(math.pi * 2) * q.scale / width).log()
    return log + 0.5 * (width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)) / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Uniform, q: Pareto) -> Tensor:
    width = p.high - p.low
    log = (q.alpha * q.scale.pow(q.alpha) * width).log()
    power = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    return _infinite_where(p.low < q.support.lower_bound, power * (q.alpha + 1) - log)


# Vectors ------------------------------------------------------------------------------------------


def _squared(matrix: Tensor) -> Tensor:
    """The sum of the squares of each matrix."""
    flat = matrix.reshape(-1, matrix.size(-2) * matrix.size(-1)).pow(2).sum(-1)
    return flat.reshape(matrix.shape[:-2])


def _check_sizes(p: Any, q: Any, kind: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {kind} Multivariate Normals with                          different event "
            "shapes cannot be computed"
        )


def _solved(q: LowRankMultivariateNormal) -> Tensor:
    return solve_triangular(q._capacitance_tril, q._weighted(), upper=False)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    _check_sizes(p, q, "Low Rank")
    logs = q._log_det() - p._log_det()
    distance = q._squares(q.loc - p.loc)
    solved = _solved(q)
    diagonal_p, diagonal_q = p._unbroadcasted_cov_diag, q._unbroadcasted_cov_diag
    ratio = (diagonal_p / diagonal_q).sum(-1)
    factor = _squared(p._unbroadcasted_cov_factor * diagonal_q.rsqrt().unsqueeze(-1))
    less = _squared(solved * diagonal_p.sqrt().unsqueeze(-2))
    still_less = _squared(solved.matmul(p._unbroadcasted_cov_factor))
    trace = ratio + factor - less - still_less
    return 0.5 * (logs + trace + distance - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _of_low_rank(p: MultivariateNormal, q: LowRankMultivariateNormal) -> Tensor:
    _check_sizes(p, q, "(Low Rank)")
    scale = p._unbroadcasted_scale_tril
    logs = q._log_det() - 2 * scale.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    distance = q._squares(q.loc - p.loc)
    solved = _solved(q)
    trace = _squared(scale * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)) - _squared(solved.matmul(scale))
    return 0.5 * (logs + trace + distance - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _from_low_rank(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Tensor:
    _check_sizes(p, q, "(Low Rank)")
    scale, factor = q._unbroadcasted_scale_tril, p._unbroadcasted_cov_factor
    logs = 2 * scale.diagonal(dim1=-2, dim2=-1).log().sum(-1) - p._log_det()
    distance = mahalanobis(scale, q.loc - p.loc)
    batch = FUNCTIONS["broadcast_shapes"](scale.shape[:-2], factor.shape[:-2])
    n = p.event_shape[0]
    scale = scale.expand((*batch, n, n))
    factor = factor.expand((*batch, n, p.cov_factor.size(-1)))
    diagonal = p._unbroadcasted_cov_diag.sqrt().diag_embed().expand((*batch, n, n))
    trace = _squared(solve_triangular(scale, factor, upper=False))
    trace = trace + _squared(solve_triangular(scale, diagonal, upper=False))
    return 0.5 * (logs + trace + distance - n)
