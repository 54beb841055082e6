"""Kullback-Leibler divergences by the types of both distributions (torch/distributions/kl.py)."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from ..creation import full_like
from ..linalg import solve_triangular
from ..ops import FUNCTIONS
from ..ops.smooth import softplus
from ..tensor import Tensor
from .categorical import Categorical, OneHotCategorical
from .counts import Binomial
from .distribution import ExponentialFamily, natural, normalized
from .gamma import Beta, Dirichlet, Gamma
from .multivariate import Independent, MultivariateNormal, mahalanobis
from .tails import Pareto
from .transformed import EULER, Gumbel, HalfNormal, TransformedDistribution
from .unit import ContinuousBernoulli
from .univariate import Bernoulli, Cauchy, Exponential, Geometric, Laplace, Normal, Poisson, Uniform
from .utils import _sum_rightmost

Divergence = Callable[[Any, Any], Tensor]
_REGISTRY: dict[tuple[type, type], Divergence] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Divergence], Divergence]:
    """A decorator: the function gives the divergence of such distributions, and of derived ones without their own.

    Raises:
        TypeError: one of them is no class.
    """
    for each in (type_p, type_q):
        if not isinstance(each, type):
            raise TypeError("issubclass() arg 1 must be a class")

    def decorator(function: Divergence) -> Divergence:
        _REGISTRY[type_p, type_q] = function
        _divergence.cache_clear()
        return function

    return decorator


def kl_divergence(p: Any, q: Any) -> Tensor:
    """What is lost where ``q`` stands for ``p``, of the batch's shape.

    Raises:
        NotImplementedError: nothing is registered for their types.
    """
    function = _divergence(type(p), type(q))
    if function is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return function(p, q)


@cache
def _divergence(type_p: type, type_q: type) -> Divergence | None:
    """What was registered for the classes nearest to these: to p's first, which q's must not contradict."""
    above = type_p.__mro__, type_q.__mro__
    found = [pair for pair in itertools.product(*above) if pair in _REGISTRY]
    if not found:
        return None
    left = found[0]
    right = min(found, key=lambda pair: (above[1].index(pair[1]), above[0].index(pair[0])))
    if _REGISTRY[left] is not _REGISTRY[right]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left[0].__name__}, "
            f"{right[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _REGISTRY[left]


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0
    return ones + zeros


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    of_one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    result = p.total_count * of_one
    more = p.total_count > q.total_count
    result[more] = full_like(result[more], math.inf)
    return result


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Tensor:
    powers = p.mean * (p.logits - q.logits)
    of_p = p._log_norm() + (-p.probs).log1p()
    of_q = -q._log_norm() - (-q.probs).log1p()
    return powers + of_p + of_q


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    scales, alphas = p.scale / q.scale, q.alpha / p.alpha
    result = q.alpha * scales.log() + -alphas.log() + alphas - 1
    result[p.support.lower_bound < q.support.lower_bound] = math.inf
    return result


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = math.inf
    return result


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    log, shift = -ratio.log(), distance / q.scale
    power = ratio * (-distance / p.scale).exp()
    return log + shift + power - 1


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    apart = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return apart - (4 * p.scale * q.scale).log()


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio, of_q, of_p = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    shift = -ratio.log() - of_q + of_p
    mean = ratio * EULER
    power = (of_q + (1 + ratio).lgamma() - of_p).exp()
    return shift + mean + power - (1 + EULER)


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    rates = q.concentration * (p.rate / q.rate).log()
    normalizers = q.concentration.lgamma() - p.concentration.lgamma()
    shapes = (p.concentration - q.concentration) * p.concentration.digamma()
    means = (q.rate - p.rate) * (p.concentration / p.rate)
    return rates + normalizers + shapes + means


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    total_p, total_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    normalizer_q = q.concentration1.lgamma() + q.concentration0.lgamma() + total_p.lgamma()
    normalizer_p = p.concentration1.lgamma() + p.concentration0.lgamma() + total_q.lgamma()
    ones = (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    zeros = (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    totals = (total_q - total_p) * total_p.digamma()
    return normalizer_q - normalizer_p + ones + zeros + totals


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    total_p, total_q = p.concentration.sum(-1), q.concentration.sum(-1)
    totals = total_p.lgamma() - total_q.lgamma()
    each = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    apart = p.concentration - q.concentration
    slopes = p.concentration.digamma() - total_p.digamma().unsqueeze(-1)
    return totals - each + (apart * slopes).sum(-1)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: Any, q: Any) -> Tensor:
    """By what their normalizers are at the natural parameters, and by its slope there: a Bregman divergence."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             be "
            "computed using Bregman divergences"
        )
    of_p, of_q = natural(p), q._natural_params
    normalizer, slopes = normalized(p, of_p)
    result = q._log_normalizer(*of_q) - normalizer
    for one, other, slope in zip(of_p, of_q, slopes, strict=True):
        result -= _sum_rightmost((other - one) * slope, len(q.event_shape))
    return result


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with                          different event shapes cannot "
            "be computed"
        )
    n = p.event_shape[0]
    half = q._half_log_det - p._half_log_det
    of_p, of_q = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    batch = FUNCTIONS["broadcast_shapes"](of_q.shape[:-2], of_p.shape[:-2])
    solved = solve_triangular(of_q.expand((*batch, n, n)), of_p.expand((*batch, n, n)), upper=False)
    trace = solved.reshape(-1, n * n).pow(2).sum(-1).reshape(batch)
    return half + 0.5 * (trace + mahalanobis(of_q, q.loc - p.loc) - n)
