"""Distributions of counts of successes (torch/distributions: binomial.py, negative_binomial.py, multinomial.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import formats
from ..creation import ones_like
from ..from_data import tensor
from ..modes import no_grad
from ..ops.smooth import logsigmoid
from ..random import binomial, poisson
from ..ranges import arange
from ..size import Size
from ..tensor import Tensor
from . import constraints
from .categorical import Categorical, OfCategorical
from .distribution import NO_SHAPE
from .gamma import Gamma
from .univariate import LogOdds
from .utils import broadcast_all, lazy_property


class _Trials(LogOdds):
    """By ``total_count`` and the probability of a success, or its log odds."""

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
        """The parameter's shape."""
        return self._param.size()


class Binomial(_Trials):
    """How many of ``total_count`` trials succeed."""

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
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2  # with slope 1/2 at 0
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


class NegativeBinomial(_Trials):
    """How many successes there are before ``total_count`` failures, which need not be an integer."""

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


class Multinomial(OfCategorical):
    """How often each class comes, of ``total_count`` samples of a `Categorical`.

    Raises:
        NotImplementedError: the count is no integer.
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
        logits = logits.clone(memory_format=formats.contiguous_format)
        of_all = (value.sum(-1) + 1).lgamma()
        of_each = (value + 1).lgamma().sum(-1)
        logits[(value == 0) & (logits == -math.inf)] = 0
        return of_all - of_each + (logits * value).sum(-1)
