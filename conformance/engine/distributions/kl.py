"""torch.distributions.kl_divergence and register_kl, dispatched by the types of both distributions (torch:
distributions/kl.py)."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from .._aten.creation.factories import full_like
from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from .._distributions import kl_cross_formulas, kl_formulas
from ..linalg import solve_triangular
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily, natural, normalized
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import _sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

Divergence = Callable[[Any, Any], Tensor]
_REGISTRY: dict[tuple[type, type], Divergence] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Divergence], Divergence]:
    """A decorator that registers a function for the divergence of two types and their subclasses.

    Raises:
        TypeError: an argument is not a subclass of Distribution.
    """
    for each in (type_p, type_q):
        if not isinstance(each, type):
            raise TypeError("issubclass() arg 1 must be a class")

    def decorator(function: Divergence) -> Divergence:
        _REGISTRY[type_p, type_q] = function
        _dispatch_kl.cache_clear()
        return function

    return decorator


def kl_divergence(p: Any, q: Any) -> Tensor:
    """The Kullback-Leibler divergence KL(p || q), with the batch shape.

    Raises:
        NotImplementedError: nothing is registered for their types.
    """
    function = _dispatch_kl(type(p), type(q))
    if function is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return function(p, q)


@cache
def _dispatch_kl(type_p: type, type_q: type) -> Divergence | None:
    """The function of the most specific registered types; warns if p and q disagree which these are."""
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


# By the types of p and q; formulas that need other modules of this package follow below.
_FORMULAS: tuple[tuple[type, type, Divergence], ...] = (
    (Bernoulli, Bernoulli, kl_formulas.kl_bernoulli_bernoulli),
    (Beta, Beta, kl_formulas.kl_beta_beta),
    (Binomial, Binomial, kl_formulas.kl_binomial_binomial),
    (Categorical, Categorical, kl_formulas.kl_categorical_categorical),
    (Cauchy, Cauchy, kl_formulas.kl_cauchy_cauchy),
    (ContinuousBernoulli, ContinuousBernoulli, kl_formulas.kl_continuous_bernoulli_continuous_bernoulli),
    (Dirichlet, Dirichlet, kl_formulas.kl_dirichlet_dirichlet),
    (Exponential, Exponential, kl_formulas.kl_exponential_exponential),
    (Gamma, Gamma, kl_formulas.kl_gamma_gamma),
    (Geometric, Geometric, kl_formulas.kl_geometric_geometric),
    (Gumbel, Gumbel, kl_formulas.kl_gumbel_gumbel),
    (HalfNormal, HalfNormal, kl_formulas.kl_halfnormal_halfnormal),
    (Laplace, Laplace, kl_formulas.kl_laplace_laplace),
    (Normal, Normal, kl_formulas.kl_normal_normal),
    (OneHotCategorical, OneHotCategorical, kl_formulas.kl_onehotcategorical_onehotcategorical),
    (Pareto, Pareto, kl_formulas.kl_pareto_pareto),
    (Poisson, Poisson, kl_formulas.kl_poisson_poisson),
    (Uniform, Uniform, kl_formulas.kl_uniform_uniform),
    (Bernoulli, Poisson, kl_cross_formulas.kl_bernoulli_poisson),
    (Beta, ContinuousBernoulli, kl_cross_formulas.kl_beta_continuous_bernoulli),
    (Beta, Exponential, kl_cross_formulas.kl_beta_exponential),
    (Beta, Gamma, kl_cross_formulas.kl_beta_gamma),
    (Beta, Normal, kl_cross_formulas.kl_beta_normal),
    (Beta, Uniform, kl_cross_formulas.kl_beta_uniform),
    (ContinuousBernoulli, Exponential, kl_cross_formulas.kl_continuous_bernoulli_exponential),
    (ContinuousBernoulli, Normal, kl_cross_formulas.kl_continuous_bernoulli_normal),
    (ContinuousBernoulli, Uniform, kl_cross_formulas.kl_continuous_bernoulli_uniform),
    (Exponential, Gamma, kl_cross_formulas.kl_exponential_gamma),
    (Exponential, Gumbel, kl_cross_formulas.kl_exponential_gumbel),
    (Exponential, Normal, kl_cross_formulas.kl_exponential_normal),
    (Gamma, Exponential, kl_cross_formulas.kl_gamma_exponential),
    (Gamma, Gumbel, kl_cross_formulas.kl_gamma_gumbel),
    (Gamma, Normal, kl_cross_formulas.kl_gamma_normal),
    (Gumbel, Normal, kl_cross_formulas.kl_gumbel_normal),
    (Laplace, Normal, kl_cross_formulas.kl_laplace_normal),
    (Normal, Gumbel, kl_cross_formulas.kl_normal_gumbel),
    (Normal, Laplace, kl_cross_formulas.kl_normal_laplace),
    (Pareto, Exponential, kl_cross_formulas.kl_pareto_exponential),
    (Pareto, Gamma, kl_cross_formulas.kl_pareto_gamma),
    (Pareto, Normal, kl_cross_formulas.kl_pareto_normal),
    (Uniform, Beta, kl_cross_formulas.kl_uniform_beta),
    (Uniform, ContinuousBernoulli, kl_cross_formulas.kl_uniform_continuous_bernoulli),
    (Uniform, Exponential, kl_cross_formulas.kl_uniform_exponential),
    (Uniform, Gamma, kl_cross_formulas.kl_uniform_gamma),
    (Uniform, Gumbel, kl_cross_formulas.kl_uniform_gumbel),
    (Uniform, Normal, kl_cross_formulas.kl_uniform_normal),
    (Uniform, Pareto, kl_cross_formulas.kl_uniform_pareto),
)

_BOUNDED = (Beta, ContinuousBernoulli, Pareto, Uniform)
_ON_ONE_SIDE = (*_BOUNDED, Exponential, Gamma)
# By the type of p, with a parameter of the result's shape: the types of q with an infinite divergence, see Note
# [Beyond the support].
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


for _type_p, _type_q, _formula in _FORMULAS:
    register_kl(_type_p, _type_q)(_formula)
for _type_p, _parameter, _others in _INFINITE:
    for _type_q in _others:
        _register_infinite(_type_p, _parameter, _type_q)


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed_transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p: Any, q: Any) -> Tensor:
    """The Bregman divergence of the log normalizers at the natural parameters."""
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
def _kl_independent_independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
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
    return half + 0.5 * (trace + _batch_mahalanobis(of_q, q.loc - p.loc) - n)


def _batch_trace_xxt(matrix: Tensor) -> Tensor:
    """The trace of X @ X.T for each matrix, the sum of its squared elements."""
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
def _kl_lowrankmultivariatenormal_lowrankmultivariatenormal(
    p: LowRankMultivariateNormal, q: LowRankMultivariateNormal
) -> Tensor:
    _check_sizes(p, q, "Low Rank")
    logs = q._log_det() - p._log_det()
    distance = q._squares(q.loc - p.loc)
    solved = _solved(q)
    diagonal_p, diagonal_q = p._unbroadcasted_cov_diag, q._unbroadcasted_cov_diag
    ratio = (diagonal_p / diagonal_q).sum(-1)
    factor = _batch_trace_xxt(p._unbroadcasted_cov_factor * diagonal_q.rsqrt().unsqueeze(-1))
    less = _batch_trace_xxt(solved * diagonal_p.sqrt().unsqueeze(-2))
    still_less = _batch_trace_xxt(solved.matmul(p._unbroadcasted_cov_factor))
    trace = ratio + factor - less - still_less
    return 0.5 * (logs + trace + distance - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariatenormal_lowrankmultivariatenormal(
    p: MultivariateNormal, q: LowRankMultivariateNormal
) -> Tensor:
    _check_sizes(p, q, "(Low Rank)")
    scale = p._unbroadcasted_scale_tril
    logs = q._log_det() - 2 * scale.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    distance = q._squares(q.loc - p.loc)
    solved = _solved(q)
    trace = _batch_trace_xxt(scale * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)) - _batch_trace_xxt(
        solved.matmul(scale)
    )
    return 0.5 * (logs + trace + distance - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_lowrankmultivariatenormal_multivariatenormal(
    p: LowRankMultivariateNormal, q: MultivariateNormal
) -> Tensor:
    _check_sizes(p, q, "(Low Rank)")
    scale, factor = q._unbroadcasted_scale_tril, p._unbroadcasted_cov_factor
    logs = 2 * scale.diagonal(dim1=-2, dim2=-1).log().sum(-1) - p._log_det()
    distance = _batch_mahalanobis(scale, q.loc - p.loc)
    batch = FUNCTIONS["broadcast_shapes"](scale.shape[:-2], factor.shape[:-2])
    n = p.event_shape[0]
    scale = scale.expand((*batch, n, n))
    factor = factor.expand((*batch, n, p.cov_factor.size(-1)))
    diagonal = p._unbroadcasted_cov_diag.sqrt().diag_embed().expand((*batch, n, n))
    trace = _batch_trace_xxt(solve_triangular(scale, factor, upper=False))
    trace = trace + _batch_trace_xxt(solve_triangular(scale, diagonal, upper=False))
    return 0.5 * (logs + trace + distance - n)
