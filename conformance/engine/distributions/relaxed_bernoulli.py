"""torch.distributions.RelaxedBernoulli, and LogitRelaxedBernoulli (torch: distributions/relaxed_bernoulli.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.random.random import rand
from .._autograd.tensor import Tensor
from . import constraints
from .distribution import NO_SHAPE, Distribution, OfProbability
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(OfProbability):
    """The log odds of a `RelaxedBernoulli`."""

    __module__ = "torch.distributions.relaxed_bernoulli"
    support = constraints.real
    expand: Any = Distribution.expand  # the temperature is not a batch

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        drawn = clamp_probs(rand(shape, dtype=probs.dtype))
        return (drawn.log() - (-drawn).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        logits, value = broadcast_all(self.logits, value)
        apart = logits - value.mul(self.temperature)
        return self.temperature.log() + apart - 2 * apart.exp().log1p()


class RelaxedDistribution(TransformedDistribution):
    """The base of relaxed distributions, with the parameters of their base distribution."""

    @property
    def temperature(self) -> Tensor:
        """The temperature; as it approaches 0, samples approach those of the discrete distribution."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The log odds (RelaxedBernoulli) or log probabilities (RelaxedOneHotCategorical)."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self.base_dist.probs


class RelaxedBernoulli(RelaxedDistribution):
    """A continuous relaxation of `Bernoulli` on (0, 1)."""

    __module__ = "torch.distributions.relaxed_bernoulli"
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012 - torch's own form
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)
