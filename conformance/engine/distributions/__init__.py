"""torch.distributions, differentiable in their parameters; see torch/distributions."""

from __future__ import annotations

from ..absent import look_up
from ..module_names import stand_in
from . import constraints, transforms, utils
from . import kl_pairs as _kl_pairs
from .categorical import Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from .constraint_registry import biject_to, transform_to
from .counts import Binomial, Multinomial, NegativeBinomial
from .distribution import Distribution, ExponentialFamily
from .gamma import Beta, Chi2, Dirichlet, Gamma, StudentT
from .gamma_quotients import FisherSnedecor, InverseGamma
from .kl import kl_divergence, register_kl
from .lkj_cholesky import LKJCholesky
from .low_rank import LowRankMultivariateNormal
from .mixture import MixtureSameFamily
from .multivariate import Independent, MultivariateNormal
from .relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from .tails import GeneralizedPareto, Pareto, Weibull
from .transformed import Gumbel, HalfCauchy, HalfNormal, LogNormal, TransformedDistribution
from .transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)  # fmt: skip
from .unit import ContinuousBernoulli, Kumaraswamy, LogisticNormal
from .univariate import Bernoulli, Cauchy, Exponential, Geometric, Laplace, Normal, Poisson, Uniform
from .von_mises import VonMises
from .wishart import Wishart

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "CatTransform", "Categorical", "Cauchy",
    "Chi2", "ComposeTransform", "ContinuousBernoulli", "CorrCholeskyTransform", "CumulativeDistributionTransform",
    "Dirichlet", "Distribution", "ExpTransform", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma",
    "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "IndependentTransform",
    "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal", "LogisticNormal",
    "LowRankMultivariateNormal", "LowerCholeskyTransform", "MixtureSameFamily", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto", "Poisson",
    "PositiveDefiniteTransform", "PowerTransform", "RelaxedBernoulli", "RelaxedOneHotCategorical",
    "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "StudentT", "TanhTransform", "Transform", "TransformedDistribution", "Uniform",
    "VonMises", "Weibull", "Wishart", "biject_to", "constraints", "identity_transform", "kl_divergence",
    "register_kl", "transform_to", "transforms", "utils",
]  # fmt: skip

stand_in(globals())
__getattr__ = look_up("torch.distributions")
