"""torch.distributions.Binomial, and the base class it shares with NegativeBinomial (torch: distributions/binomial.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.creation.ranges import arange
from .._aten.random.random import binomial
from .._autograd.tensor import Tensor
from .._c10.modes import no_grad
from .._c10.size import Size
from . import constraints
from .distribution import NO_SHAPE, LogOdds
from .utils import broadcast_all

__all__ = ["Binomial"]


class Trials(LogOdds):
    """The base of distributions with ``total_count`` trials and ``probs`` or ``logits`` of success."""

    total_count: Tensor

    def __init__(self, total_count: Any, probs: Any, logits: Any, validate_args: bool | None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        total_count, self._param = broadcast_all(total_count, given)
        setattr(self, name, self._param)
        self.total_count = total_count.type_as(self._param)
        super().__init__(self._param.size(), validate_args=validate_args)

    def _expanded_trials(self, cls: type, _instance: Any, batch_shape: Sequence[int]) -> Any:
        names = [name for name in ("total_count", "probs", "logits") if name in vars(self)]
        own = {name: vars(self)[name].expand(batch_shape) for name in names}
        new = self._expanded(cls, _instance, batch_shape, **own)
        new._param = own[names[-1]]
        return new

    @property
    def param_shape(self) -> Size:
        """The shape of ``probs`` or ``logits``."""
        return self._param.size()


class Binomial(Trials):
    """The number of successes in ``total_count`` trials."""

    __module__ = "torch.distributions.binomial"
    arg_constraints = {  # noqa: RUF012 - torch's own form
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(total_count, probs, logits, validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expanded_trials(Binomial, _instance, batch_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        total = self.total_count
        of_all, of_some, of_rest = (total + 1).lgamma(), (value + 1).lgamma(), (total - value + 1).lgamma()
        logits = self.logits
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2  # with derivative 1/2 at 0
        normalizer = total * positive + total * (-logits.abs()).exp().log1p() - of_all
        return value * logits - of_some - of_rest - normalizer

    def _one_total(self, what: str) -> int:
        total = int(self.total_count.max())
        if not self.total_count.min() == total:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{what}`.")
        return total

    def entropy(self) -> Tensor:
        self._one_total("entropy")
        log = self.log_prob(self.enumerate_support(False))
        return -(log.exp() * log).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        total = self._one_total("enumerate_support")
        values = arange(1 + total, dtype=self._param.dtype).view((-1, *(1,) * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values
