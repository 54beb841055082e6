"""torch.distributions.Categorical, and the base class of distributions that wrap one (torch: distributions/categorical.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import full
from .._aten.operators import FUNCTIONS
from .._aten.random.random import multinomial
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.size import Size
from . import constraints
from .distribution import NO_SHAPE, Distribution
from .utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Categorical"]

_CONSTRAINTS = {"probs": constraints.simplex, "logits": constraints.real_vector}


class Categorical(Distribution):
    """A class index; the last dimension of ``probs`` or ``logits`` has the (log) probabilities of the classes."""

    __module__ = "torch.distributions.categorical"
    arg_constraints = _CONSTRAINTS

    def __init__(
        self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        given, name = (logits, "logits") if probs is None else (probs, "probs")
        assert given is not None
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = self._param = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = self._param = given - given.logsumexp(dim=-1, keepdim=True)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        own = {name: vars(self)[name] for name in ("probs", "logits") if name in vars(self)}
        parameters = {name: each.expand((*batch_shape, self._num_events)) for name, each in own.items()}
        new = self._expanded(Categorical, _instance, batch_shape, **parameters)
        new._param, new._num_events = [*parameters.values()][-1], self._num_events
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Size:
        """The shape of ``probs`` or ``logits``."""
        return self._param.size()

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    variance = mean

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        rows = self.probs.reshape(-1, self._num_events)
        drawn = multinomial(rows, Size(sample_shape).numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        index, logits = FUNCTIONS["broadcast_tensors"](value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, index[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = self.logits.clamp(min=dtypes.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)


class OfCategorical(Distribution):
    """The base of distributions that wrap a Categorical and share its parameters."""

    _categorical: Categorical

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

    @property
    def probs(self) -> Tensor:
        """The normalized probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The normalized log probabilities."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Size:
        """The shape of ``probs`` or ``logits``."""
        return self._categorical.param_shape
