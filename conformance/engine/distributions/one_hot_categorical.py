"""torch.distributions.OneHotCategorical and torch.distributions.OneHotCategoricalStraightThrough (torch: distributions/one_hot_categorical.py)."""

from __future__ import annotations

from collections.abc import Sequence

from .._autograd.tensor import Tensor
from .._nn.embedding import one_hot
from . import constraints
from .categorical import Categorical, OfCategorical
from .distribution import NO_SHAPE

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]

_CONSTRAINTS = {"probs": constraints.simplex, "logits": constraints.real_vector}


class OneHotCategorical(OfCategorical):
    """A `Categorical` with one-hot vectors as samples."""

    __module__ = "torch.distributions.one_hot_categorical"
    arg_constraints = _CONSTRAINTS
    support = constraints.one_hot

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self.param_shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def _one_hot(self, indices: Tensor) -> Tensor:
        return one_hot(indices, self.param_shape[-1]).to(self.probs)

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        return self._one_hot(self._categorical.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A OneHotCategorical whose samples have straight-through gradients."""

    __module__ = "torch.distributions.one_hot_categorical"
    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        drawn = self.sample(sample_shape)
        return drawn + (self.probs - self.probs.detach())
