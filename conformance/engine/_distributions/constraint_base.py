"""torch.distributions.constraints.Constraint, and the constraints that transforms need: dependent ones and combinations of
other constraints (torch: distributions/constraints.py)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor

_cat, _stack = FUNCTIONS["cat"], FUNCTIONS["stack"]


class Constraint:
    """A region of valid values; ``event_dim`` is the number of last dimensions that form one event."""

    __module__ = "torch.distributions.constraints"
    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Any) -> Tensor:
        """Whether each event satisfies the constraint."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


class _Dependent(Constraint):
    """A constraint that depends on the distribution; its discreteness and ``event_dim`` may be known."""

    __module__ = "torch.distributions.constraints"

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self) -> Any:
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> Any:
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Any) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property that returns a constraint; also a decorator, with or without ``is_discrete`` and ``event_dim``."""

    __module__ = "torch.distributions.constraints"

    def __init__(self, fn: Callable[..., Any] | None = None, **known: Any) -> None:
        property.__init__(self, fn)
        _Dependent.__init__(self, **known)

    def __call__(self, fn: Callable[..., Any]) -> Any:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Any) -> bool:
    """Whether the constraint depends on a distribution's parameters."""
    return isinstance(constraint, _Dependent)


class _IndependentConstraint(Constraint):
    """A constraint that must hold for all elements of the last dimensions."""

    __module__ = "torch.distributions.constraints"

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(
                f"base_constraint must be a Constraint, got {type(base_constraint).__name__}"
            )
        if not isinstance(reinterpreted_batch_ndims, int):
            raise AssertionError(
                f"reinterpreted_batch_ndims must be an int, got {type(reinterpreted_batch_ndims).__name__}"
            )
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Any) -> Tensor:
        result = self.base_constraint.check(value)
        kept = result.dim() - self.reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape((*result.shape[:kept], -1)).all(-1)

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Real(Constraint):
    __module__ = "torch.distributions.constraints"

    def check(self, value: Any) -> Tensor:
        return value == value  # false for nan


class _Joined(Constraint):
    """Constraints of the parts along a dimension."""

    __module__ = "torch.distributions.constraints"

    def __init__(self, cseq: Any, dim: int = 0) -> None:
        if not all(isinstance(each, Constraint) for each in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim

    def _check_dim(self, value: Any) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")

    @property
    def is_discrete(self) -> Any:
        return any(each.is_discrete for each in self.cseq)

    @property
    def _most(self) -> Any:
        return max(each.event_dim for each in self.cseq)


class _Cat(_Joined):
    __module__ = "torch.distributions.constraints"

    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    @property
    def event_dim(self) -> Any:
        return self._most

    def check(self, value: Any) -> Tensor:
        self._check_dim(value)
        starts = accumulate(self.lengths, initial=0)
        parts = zip(self.cseq, starts, self.lengths, strict=False)
        return _cat([each.check(value.narrow(self.dim, *part)) for each, *part in parts], self.dim)


class _Stack(_Joined):
    __module__ = "torch.distributions.constraints"

    @property
    def event_dim(self) -> Any:
        return self._most + (self.dim + self._most < 0)

    def check(self, value: Any) -> Tensor:
        self._check_dim(value)
        parts = [value.select(self.dim, i) for i in range(value.size(self.dim))]
        checked = zip(self.cseq, parts, strict=False)
        return _stack([each.check(part) for each, part in checked], self.dim)


dependent_property = _DependentProperty
independent = _IndependentConstraint
real = _Real()
cat, stack = _Cat, _Stack
