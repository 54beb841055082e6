"""torch.distributions.HalfNormal, and the base class it shares with HalfCauchy (torch: distributions/half_normal.py)."""

from __future__ import annotations

import math
from typing import Any

from .._aten.creation.factories import zeros_like
from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform

__all__ = ["HalfNormal"]


class HalfDistribution(TransformedDistribution):
    """The base of the absolute values of symmetric distributions around 0."""

    arg_constraints = {"scale": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.nonnegative
    has_rsample = True
    _whole: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(
            self._whole(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args
        )

    @property
    def scale(self) -> Tensor:
        """The scale of the symmetric distribution."""
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.scale)

    def log_prob(self, value: Any) -> Tensor:
        self._validate(value)
        return FUNCTIONS["where"](value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Any) -> Tensor:
        self._validate(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Any) -> Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(HalfDistribution):
    """The absolute value of a normal distribution around 0."""

    __module__ = "torch.distributions.half_normal"
    _whole = Normal

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)
