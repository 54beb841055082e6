"""torch.distributions.RelaxedOneHotCategorical, and ExpRelaxedCategorical (torch: distributions/relaxed_categorical.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import full_like
from .._aten.random.random import rand
from .._autograd.tensor import Tensor
from . import constraints
from .categorical import Categorical, OfCategorical
from .distribution import NO_SHAPE
from .relaxed_bernoulli import RelaxedDistribution
from .transforms import ExpTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(OfCategorical):
    """The logarithm of a `RelaxedOneHotCategorical`."""

    __module__ = "torch.distributions.relaxed_categorical"
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}  # noqa: RUF012 - torch's own form
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        drawn = clamp_probs(rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits + -((-(drawn.log())).log())) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        count = self.param_shape[-1]
        self._validate(value)
        logits, value = broadcast_all(self.logits, value)
        scale = full_like(self.temperature, float(count)).lgamma() - self.temperature.log().mul(-(count - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(RelaxedDistribution):
    """A continuous relaxation of `OneHotCategorical` on the simplex."""

    __module__ = "torch.distributions.relaxed_categorical"
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}  # noqa: RUF012 - torch's own form
    support = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Tensor, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
