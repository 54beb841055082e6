"""torch.distributions.Kumaraswamy (torch: distributions/kumaraswamy.py)."""

from __future__ import annotations

import math
from typing import Any

from .._aten.creation.factories import full_like
from .._autograd.tensor import Tensor
from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution, similar to `Beta` with a closed-form cdf."""

    __module__ = "torch.distributions.kumaraswamy"
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = (full_like(self.concentration0, bound) for bound in (0, 1))
        base = Uniform(low, high, validate_args=validate_args)
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def _moment(self, n: int) -> Tensor:
        first, other = 1 + n / self.concentration1, self.concentration0
        return other * (first.lgamma() + other.lgamma() - (first + other).lgamma()).exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        one, other = self.concentration1, self.concentration0
        log = other.reciprocal() * (-other).log1p() - (-other * one).log1p()
        log[(other < 1) | (one < 1)] = math.nan
        return log.exp()

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        of_one = 1 - self.concentration1.reciprocal()
        of_other = 1 - self.concentration0.reciprocal()
        harmonic = (self.concentration0 + 1).digamma() + euler_constant
        return of_other + of_one * harmonic - self.concentration1.log() - self.concentration0.log()
