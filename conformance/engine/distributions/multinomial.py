"""torch.distributions.Multinomial (torch: distributions/multinomial.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import ones_like
from .._aten.creation.from_data import tensor
from .._autograd.tensor import Tensor
from .._c10 import layout
from .._c10.size import Size
from . import constraints
from .binomial import Binomial
from .categorical import Categorical, OfCategorical
from .distribution import NO_SHAPE
from .utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(OfCategorical):
    """The counts of each class in ``total_count`` samples of a `Categorical`.

    Raises:
        NotImplementedError: the count is not an int.
    """

    __module__ = "torch.distributions.multinomial"
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}  # noqa: RUF012 - torch's own form

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        event = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._expanded(Multinomial, _instance, batch_shape)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        drawn = self._categorical.sample(Size((self.total_count, *sample_shape)))
        drawn = drawn.permute((*range(1, drawn.dim()), 0))
        counts = drawn.new(self._extended_shape(sample_shape)).zero_()
        counts.scatter_add_(-1, drawn, ones_like(drawn))
        return counts.type_as(self.probs)

    def entropy(self) -> Tensor:
        total = tensor(self.total_count)
        of_order = total * self._categorical.entropy() - (total + 1).lgamma()
        values = self._binomial.enumerate_support(expand=False)[1:]
        probs = self._binomial.log_prob(values).exp()
        return of_order + (probs * (values + 1).lgamma()).sum([0, -1])

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone(memory_format=layout.contiguous_format)
        of_all = (value.sum(-1) + 1).lgamma()
        of_each = (value + 1).lgamma().sum(-1)
        logits[(value == 0) & (logits == -math.inf)] = 0
        return of_all - of_each + (logits * value).sum(-1)
