"""torch.distributions: the most used ones, differentiable in their parameters; see torch/distributions."""

from __future__ import annotations

from ..absent import look_up
from . import constraints, utils
from .categorical import Categorical, OneHotCategorical
from .distribution import Distribution, ExponentialFamily
from .kl import kl_divergence, register_kl
from .mixture import MixtureSameFamily
from .multivariate import Independent, MultivariateNormal
from .univariate import Bernoulli, Exponential, Laplace, Normal, Uniform

__all__ = [
    "Bernoulli", "Categorical", "Distribution", "Exponential", "ExponentialFamily", "Independent", "Laplace",
    "MixtureSameFamily", "MultivariateNormal", "Normal", "OneHotCategorical", "Uniform", "constraints", "kl_divergence",
    "register_kl", "utils",
]  # fmt: skip

__getattr__ = look_up("torch.distributions")
