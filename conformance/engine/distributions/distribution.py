"""torch.distributions.Distribution, and common base classes of distributions (torch:
distributions/distribution.py)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from .._autograd.batched_tensor import BatchedTensor
from .._autograd.tensor import Tensor
from .._c10 import pickling
from .._c10.modes import no_grad
from .._c10.size import Size
from . import constraints
from .constraints import is_dependent
from .utils import NUMBER, broadcast_all, lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Distribution"]

NO_SHAPE = Size()


def _not_implemented(self: Any, *args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError


_NOT_THERE = property(_not_implemented)


def is_all_true(checked: Any) -> bool:
    """Whether all elements are true, for every sample of active vmaps."""
    if isinstance(checked, BatchedTensor):
        return all(is_all_true(each) for each in checked._samples)
    return bool(checked.all())


class Distribution:
    """The base class of distributions, with a ``batch_shape`` and an ``event_shape``.

    Raises:
        ValueError: a parameter violates ``arg_constraints``, unless ``validate_args`` is False.
    """

    __module__ = "torch.distributions.distribution"
    has_rsample: Any = False
    arg_constraints: Any = _NOT_THERE
    support: Any = _NOT_THERE
    mean: Any = _NOT_THERE
    variance: Any = _NOT_THERE
    rsample: Any = _not_implemented
    log_prob: Any = _not_implemented
    cdf: Any = _not_implemented
    icdf: Any = _not_implemented
    entropy: Any = _not_implemented
    expand: Any = _not_implemented
    _validate_args = __debug__
    __reduce_ex__ = pickling.reduce

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set the default of ``validate_args``."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Any = NO_SHAPE, event_shape: Any = NO_SHAPE, validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_arguments()

    def _check_arguments(self) -> None:
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        for name, constraint in arg_constraints.items():
            derived = name not in vars(self) and isinstance(getattr(type(self), name, None), lazy_property)
            if is_dependent(constraint) or derived:
                continue
            value = getattr(self, name)
            if not is_all_true(constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    @property
    def batch_shape(self) -> Size:
        """The shape over which parameters are batched."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample."""
        return self._event_shape

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        """Samples that do not require grad."""
        with no_grad():
            return self.rsample(sample_shape)

    def _extended_shape(self, sample_shape: Any = NO_SHAPE) -> Size:
        return Size((*tuple(sample_shape), *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        """Raise an error for values that are not valid samples."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, events, expected = value.size(), len(self._event_shape), self._extended_shape()
        if shape[len(shape) - events :] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}."
            )
        for one, other in zip(reversed(shape), reversed(expected), strict=False):
            if 1 not in (one, other) and one != other:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if not is_all_true(support.check(value)):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _validate(self, value: Any) -> None:
        if self._validate_args:
            self._validate_sample(value)

    def _expanded(self, cls: type, _instance: Any, batch_shape: Sequence[int], **parameters: Tensor) -> Any:
        """A copy with expanded parameters, which are not validated again."""
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]  # it is only compared
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        new = type(self).__new__(type(self)) if _instance is None else _instance
        vars(new).update(parameters)
        Distribution.__init__(new, Size(batch_shape), self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def __repr__(self) -> str:
        own = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        shown = (f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in own.items())
        return f"{type(self).__name__}({', '.join(shown)})"


class Broadcast(Distribution):
    """The base of scalar distributions, whose parameters (tensors or numbers) are broadcast."""

    def __init__(self, validate_args: bool | None, **parameters: Any) -> None:
        vars(self).update(zip(parameters, broadcast_all(*parameters.values()), strict=True))
        of_numbers = all(isinstance(each, NUMBER) for each in parameters.values())
        shape = Size() if of_numbers else vars(self)[next(iter(parameters))].size()
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution with expanded parameters."""
        own = {
            name: each.expand(batch_shape) for name, each in vars(self).items() if isinstance(each, Tensor)
        }
        # Only the __init__ of torch's own class is skipped, not that of a subclass.
        defining = next(each for each in type(self).__mro__ if each.__module__.startswith("torch."))
        return self._expanded(defining, _instance, batch_shape, **own)


class LocationScale(Broadcast):
    """The base of symmetric distributions with ``loc`` and ``scale``."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(validate_args, loc=loc, scale=scale)

    @property
    def mean(self) -> Tensor:
        return self.loc


class LogOdds(Distribution):
    """The base of distributions with ``probs`` or ``logits``; the other one is computed on first use."""

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits, is_binary=True)


class OfProbability(Broadcast, LogOdds):
    """The base of distributions whose only parameter is ``probs`` or ``logits``."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}  # noqa: RUF012 - torch's own form

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        given = {"logits": logits} if probs is None else {"probs": probs}
        super().__init__(validate_args, **given)
