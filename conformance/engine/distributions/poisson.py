"""torch.distributions.Poisson (torch: distributions/poisson.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.random.random import poisson
from .._autograd.tensor import Tensor
from .._c10.modes import no_grad
from . import constraints
from .distribution import NO_SHAPE, Broadcast
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Poisson"]


class Poisson(Broadcast, ExponentialFamily):
    """The number of events with mean ``rate``."""

    __module__ = "torch.distributions.poisson"
    arg_constraints = {"rate": constraints.nonnegative}  # noqa: RUF012 - torch's own form
    support = constraints.nonnegative_integer
    rate: Tensor

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(validate_args, rate=rate)

    @property
    def mean(self) -> Tensor:
        return self.rate

    variance = mean

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        with no_grad():
            return poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()
