"""torch.distributions.ContinuousBernoulli (torch: distributions/continuous_bernoulli.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import ones_like, zeros_like
from .._aten.operators import FUNCTIONS
from .._aten.random.random import rand
from .._autograd.tensor import Tensor
from .._c10.modes import no_grad
from .._c10.size import Size
from .._nn.loss import binary_cross_entropy_with_logits
from . import constraints
from .distribution import NO_SHAPE, LogOdds
from .exp_family import ExponentialFamily
from .utils import NUMBER, broadcast_all, clamp_probs, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]

_where = FUNCTIONS["where"]
_max = FUNCTIONS["max"]


class ContinuousBernoulli(LogOdds, ExponentialFamily):
    """The continuous Bernoulli distribution on [0, 1], whose log density is linear.

    Between the bounds ``lims`` of ``probs``, where the density is nearly uniform, Taylor series are used.

    Raises:
        ValueError: ``probs`` is outside of [0, 1], or not exactly one parameter is given.
    """

    __module__ = "torch.distributions.continuous_bernoulli"
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012 - torch's own form
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is None:
            (self.logits,) = broadcast_all(logits)
            self._param = self.logits
        else:
            (found,) = broadcast_all(probs)
            # checked before clamping, after which all values are valid
            if validate_args is not None and not self.arg_constraints["probs"].check(found).all():
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(found)
        of_number = isinstance(logits if probs is None else probs, NUMBER)
        self._lims = lims
        super().__init__(Size() if of_number else self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        own = {
            name: vars(self)[name].expand(batch_shape) for name in ("probs", "logits") if name in vars(self)
        }
        new = self._expanded(ContinuousBernoulli, _instance, batch_shape, **own)
        new._lims, new._param = self._lims, [*own.values()][-1]
        return new

    @lazy_property
    def probs(self) -> Tensor:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    @property
    def param_shape(self) -> Size:
        """The shape of ``probs`` or ``logits``."""
        return self._param.size()

    def _outside_lims(self) -> Tensor:
        """Where ``probs`` is outside of ``lims``, so that no series is needed."""
        return _max(self.probs.le(self._lims[0]), self.probs.gt(self._lims[1]))

    def _cut_probs(self) -> Tensor:
        """The probabilities, replaced by a bound where a series is used."""
        return _where(self._outside_lims(), self.probs, self._lims[0] * ones_like(self.probs))

    def _log_norm(self) -> Tensor:
        """The log of the normalization constant."""
        cut = self._cut_probs()
        low = _where(cut.le(0.5), cut, zeros_like(cut))
        high = _where(cut.ge(0.5), cut, ones_like(cut))
        odds = ((-cut).log1p() - cut.log()).abs().log()
        exact = odds - _where(cut.le(0.5), (-2.0 * low).log1p(), (2.0 * high - 1.0).log())
        x = (self.probs - 0.5).pow(2)
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return _where(self._outside_lims(), exact, series)

    @property
    def mean(self) -> Tensor:
        cut = self._cut_probs()
        exact = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        series = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return _where(self._outside_lims(), exact, series)

    @property
    def variance(self) -> Tensor:
        cut = self._cut_probs()
        exact = cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2) + 1.0 / ((-cut).log1p() - cut.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        series = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return _where(self._outside_lims(), exact, series)

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        self._validate(value)
        cut = self._cut_probs()
        powers = cut.pow(value) * (1.0 - cut).pow(1.0 - value)
        exact = (powers + cut - 1.0) / (2.0 * cut - 1.0)
        inside = _where(self._outside_lims(), exact, value)
        up_to_1 = _where(value.ge(1.0), ones_like(value), inside)
        return _where(value.le(0.0), zeros_like(value), up_to_1)

    def icdf(self, value: Tensor) -> Tensor:
        cut = self._cut_probs()
        steep = self._outside_lims()
        rise = (-cut + value * (2.0 * cut - 1.0)).log1p() - (-cut).log1p()
        return _where(steep, rise / (cut.log() - (-cut).log1p()), value)

    def entropy(self) -> Tensor:
        of_0 = (-self.probs).log1p()
        of_1 = self.probs.log()
        return self.mean * (of_0 - of_1) - self._log_norm() - of_0

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        low, high = (bound - 0.5 for bound in self._lims)
        steep = _max(x.le(low), x.gt(high))
        cut = _where(steep, x, low * ones_like(x))
        exact = cut.expm1().abs().log() - cut.abs().log()
        series = 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0
        return _where(steep, exact, series)
