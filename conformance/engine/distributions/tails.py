"""Distributions of waiting times and extremes (torch/distributions: pareto.py, weibull.py, generalized_pareto.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..creation import ones_like, zeros_like
from ..from_data import tensor
from ..ops import FUNCTIONS
from ..random import rand
from ..tensor import Tensor
from . import constraints
from .distribution import NO_SHAPE, Broadcast
from .transformed import EULER, TransformedDistribution
from .transforms import AffineTransform, ExpTransform, PowerTransform
from .univariate import Exponential
from .utils import broadcast_all

_isclose, _where = FUNCTIONS["isclose"], FUNCTIONS["where"]


class Pareto(TransformedDistribution):
    """From ``scale`` up, with a tail that falls as a power, the faster the greater ``alpha``."""

    __module__ = "torch.distributions.pareto"
    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}  # noqa: RUF012 - torch's own form

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        alpha = self.alpha.clamp(min=1)  # below which it is infinite
        return alpha * self.scale / (alpha - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        alpha = self.alpha.clamp(min=2)  # below which it is infinite
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(TransformedDistribution):
    """``scale`` times a power of an exponential variable, whose exponent is one over ``concentration``."""

    __module__ = "torch.distributions.weibull"
    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._transforms(), validate_args=validate_args)

    def _transforms(self) -> list[Any]:
        power = PowerTransform(exponent=self.concentration_reciprocal)
        return [power, AffineTransform(loc=0, scale=self.scale)]

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        own = {name: getattr(self, name).expand(batch_shape) for name in ("scale", "concentration")}
        new = self._expanded(Weibull, _instance, batch_shape, **own)
        new.concentration_reciprocal = new.concentration.reciprocal()
        base = self.base_dist.expand(batch_shape)
        TransformedDistribution.__init__(new, base, new._transforms(), validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self) -> Tensor:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Tensor:
        shape = self.concentration
        return self.scale * ((shape - 1) / shape) ** shape.reciprocal()

    @property
    def variance(self) -> Tensor:
        exponent, scale = self.concentration_reciprocal, self.scale.pow(2)
        return scale * ((1 + 2 * exponent).lgamma().exp() - (2 * (1 + exponent).lgamma()).exp())

    def entropy(self) -> Tensor:
        exponent = self.concentration_reciprocal
        return EULER * (1 - exponent) + (self.scale * exponent).log() + 1


class GeneralizedPareto(Broadcast):
    """What exceeds ``loc``, by some ``scale``; with a positive ``concentration`` the tail is heavy, with 0 exponential.

    With a negative one there is an upper bound.
    """

    __module__ = "torch.distributions.generalized_pareto"
    arg_constraints = {  # noqa: RUF012 - torch's own form
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True
    loc: Tensor
    scale: Tensor
    concentration: Tensor

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        super().__init__(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        low, shape = self.loc, self.concentration
        return constraints.interval(low, _where(shape < 0, low - self.scale / shape, math.inf))

    def _below(self, bound: float, instead: float) -> tuple[Tensor, Tensor]:
        """Whether the concentration is below a bound, and itself where it is."""
        below = self.concentration < bound
        return below, _where(below, self.concentration, instead)

    @property
    def mean(self) -> Tensor:
        finite, shape = self._below(1, 0.5)
        return _where(finite, self.loc + self.scale / (1 - shape), math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        finite, shape = self._below(0.5, 0.25)
        return _where(finite, self.scale**2 / ((1 - shape) ** 2 * (1 - 2 * shape)), math.nan)

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def _standard(self, value: Any) -> Tensor:
        self._validate(value)
        return (value - self.loc) / self.scale

    def _nonzero(self, zero: Tensor) -> tuple[Tensor, Tensor]:
        """Where the concentration is zero, and itself where it is not."""
        exponential = _isclose(self.concentration, zero)
        return exponential, _where(exponential, ones_like(self.concentration), self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        z = self._standard(value)
        exponential, shape = self._nonzero(tensor(0.0))
        exponent = 1 / shape + ones_like(z)
        power = _where(exponent == 0, exponent, exponent * (shape * z).log1p())
        return -self.scale.log() - _where(exponential, z, power)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of what is greater."""
        z = self._standard(value)
        exponential, shape = self._nonzero(tensor(0.0))
        power = -(shape * z).log1p() / shape
        return _where(exponential, -z, power)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of what is not greater."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        exponential, shape = self._nonzero(zeros_like(self.concentration))
        log = (-value).log1p()
        power = self.loc + self.scale / shape * (-shape * log).expm1()
        return _where(exponential, self.loc - self.scale * log, power)

    def entropy(self) -> Tensor:
        return FUNCTIONS["broadcast_to"](self.scale.log() + self.concentration + 1, self._batch_shape)
