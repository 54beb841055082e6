"""torch.distributions.Bernoulli (torch: distributions/bernoulli.py)."""

from __future__ import annotations

from collections.abc import Sequence

from .._aten.random.random import bernoulli
from .._autograd.tensor import Tensor
from .._c10.modes import no_grad
from .._c10.size import Size
from .._nn.loss import binary_cross_entropy_with_logits
from . import constraints
from .distribution import NO_SHAPE, OfProbability
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Bernoulli"]


class Bernoulli(OfProbability, ExponentialFamily):
    """1 with probability ``probs``, else 0."""

    __module__ = "torch.distributions.bernoulli"
    support = constraints.boolean

    @property
    def param_shape(self) -> Size:
        """The shape of ``probs`` or ``logits``."""
        return (self.probs if "probs" in vars(self) else self.logits).size()

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        with no_grad():
            return bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
