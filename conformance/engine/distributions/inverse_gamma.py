"""torch.distributions.InverseGamma (torch: distributions/inverse_gamma.py)."""

from __future__ import annotations

import math
from typing import Any

from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from . import constraints
from .gamma import Gamma
from .transformed_distribution import TransformedDistribution
from .transforms import PowerTransform

__all__ = ["InverseGamma"]

_where = FUNCTIONS["where"]


class InverseGamma(TransformedDistribution):
    """The reciprocal of a `Gamma` variable."""

    __module__ = "torch.distributions.inverse_gamma"
    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        """The concentration of the gamma variable."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The rate of the gamma variable, which is the scale of the reciprocal."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        result = self.rate / (self.concentration - 1)
        return _where(self.concentration > 1, result, math.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        shape = self.concentration
        result = self.rate.square() / ((shape - 1).square() * (shape - 2))
        return _where(shape > 2, result, math.inf)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()
