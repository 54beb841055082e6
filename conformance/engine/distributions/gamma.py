"""torch.distributions.Gamma (torch: distributions/gamma.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.creation.from_data import as_tensor
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._distributions.gamma_sampling import _standard_gamma
from . import constraints
from .distribution import NO_SHAPE, Broadcast
from .exp_family import ExponentialFamily

__all__ = ["Gamma"]


class Gamma(Broadcast, ExponentialFamily):
    """The gamma distribution with shape ``concentration`` and ``rate``."""

    __module__ = "torch.distributions.gamma"
    arg_constraints: Any = {"concentration": constraints.positive, "rate": constraints.positive}  # noqa: RUF012 - torch's
    support = constraints.nonnegative
    has_rsample = True
    concentration: Tensor
    rate: Tensor

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(validate_args, concentration=concentration, rate=rate)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=dtypes.finfo(value.dtype).tiny)  # as if the clamped values had been drawn
        return value

    def log_prob(self, value: Any) -> Tensor:
        value = as_tensor(value, dtype=self.rate.dtype)
        self._validate(value)
        scaled = self.concentration.xlogy(self.rate) + (self.concentration - 1).xlogy(value)
        return scaled - self.rate * value - self.concentration.lgamma()

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape - self.rate.log() + shape.lgamma() + (1.0 - shape) * shape.digamma()
