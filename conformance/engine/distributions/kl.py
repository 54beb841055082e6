"""torch.distributions.kl_divergence and register_kl, dispatched by the types of both distributions (torch:
distributions/kl.py)."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from .._distributions import kl_formulas
from ..linalg import solve_triangular
from .bernoulli import Bernoulli
from .beta import Beta
from .categorical import Categorical
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily, natural, normalized
from .exponential import Exponential
from .gamma import Gamma
from .independent import Independent
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
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
    (Categorical, Categorical, kl_formulas.kl_categorical_categorical),
    (Dirichlet, Dirichlet, kl_formulas.kl_dirichlet_dirichlet),
    (Exponential, Exponential, kl_formulas.kl_exponential_exponential),
    (Gamma, Gamma, kl_formulas.kl_gamma_gamma),
    (Normal, Normal, kl_formulas.kl_normal_normal),
    (OneHotCategorical, OneHotCategorical, kl_formulas.kl_onehotcategorical_onehotcategorical),
    (Poisson, Poisson, kl_formulas.kl_poisson_poisson),
)

for _type_p, _type_q, _formula in _FORMULAS:
    register_kl(_type_p, _type_q)(_formula)


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
