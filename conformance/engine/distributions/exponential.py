"""torch.distributions.Exponential (torch: distributions/exponential.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import empty
from .._autograd.tensor import Tensor
from . import constraints
from .distribution import NO_SHAPE, Broadcast
from .exp_family import ExponentialFamily

__all__ = ["Exponential"]


class Exponential(Broadcast, ExponentialFamily):
    """The exponential distribution: waiting times of events with a ``rate``."""

    __module__ = "torch.distributions.exponential"
    arg_constraints = {"rate": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.nonnegative
    has_rsample = True
    rate: Tensor

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(validate_args, rate=rate)

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    stddev = mean

    @property
    def variance(self) -> Tensor:
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        drawn = empty(self._extended_shape(sample_shape), dtype=self.rate.dtype).exponential_()
        return drawn / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        return self.rate.log() - self.rate * value

    def entropy(self) -> Tensor:
        return 1.0 - self.rate.log()
