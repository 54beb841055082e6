"""torch.distributions.NegativeBinomial (torch: distributions/negative_binomial.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.nn.exp_activations import logsigmoid
from .._aten.random.random import poisson
from .._autograd.tensor import Tensor
from .._c10.modes import no_grad
from . import constraints
from .binomial import Trials
from .distribution import NO_SHAPE
from .gamma import Gamma
from .utils import lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Trials):
    """The number of successes before ``total_count`` failures (not necessarily an integer)."""

    __module__ = "torch.distributions.negative_binomial"
    arg_constraints = {  # noqa: RUF012 - torch's own form
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(total_count, probs, logits, validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return self._expanded_trials(NegativeBinomial, _instance, batch_shape)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self) -> Any:
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)  # a count may be 0

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        total = self.total_count
        powers = total * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        normalizer = -(total + value).lgamma() + (1.0 + value).lgamma() + total.lgamma()
        return powers - normalizer.masked_fill(total + value == 0.0, 0.0)
