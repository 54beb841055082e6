"""torch.distributions.GeneralizedPareto (torch: distributions/generalized_pareto.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import ones_like, zeros_like
from .._aten.creation.from_data import tensor
from .._aten.operators import FUNCTIONS
from .._aten.random.random import rand
from .._autograd.tensor import Tensor
from . import constraints
from .distribution import NO_SHAPE, Broadcast

__all__ = ["GeneralizedPareto"]

_where = FUNCTIONS["where"]
_isclose = FUNCTIONS["isclose"]


class GeneralizedPareto(Broadcast):
    """The generalized Pareto distribution above ``loc``.

    The tail is heavy for positive ``concentration``, exponential for 0 and bounded for negative ones.
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
        """Whether the concentration is below a bound, and the concentration where it is (else a safe value)."""
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
        """Where the concentration is 0, and the concentration where it is not (else a safe value)."""
        exponential = _isclose(self.concentration, zero)
        return exponential, _where(exponential, ones_like(self.concentration), self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        z = self._standard(value)
        exponential, shape = self._nonzero(tensor(0.0))
        exponent = 1 / shape + ones_like(z)
        power = _where(exponent == 0, exponent, exponent * (shape * z).log1p())
        return -self.scale.log() - _where(exponential, z, power)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The log of the survival function."""
        z = self._standard(value)
        exponential, shape = self._nonzero(tensor(0.0))
        power = -(shape * z).log1p() / shape
        return _where(exponential, -z, power)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The log of the cumulative distribution function."""
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
