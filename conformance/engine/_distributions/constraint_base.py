"""torch.distributions.constraints.Constraint, and the constraints that transforms need: dependent and independent ones
(torch: distributions/constraints.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._autograd.tensor import Tensor


class Constraint:
    """A region of valid values; ``event_dim`` is the number of last dimensions that form one event."""

    event_dim: Any = 0

    def check(self, value: Any) -> Tensor:
        """Whether each event satisfies the constraint."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


class _Dependent(Constraint):
    """A constraint that depends on the distribution."""

    @property
    def event_dim(self) -> Any:
        raise NotImplementedError(".event_dim cannot be determined statically")

    def __call__(self, **known: Any) -> _Dependent:
        return self

    def check(self, x: Any) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property that returns a constraint; also a decorator, whose other arguments are for reading only."""

    def __init__(self, fn: Callable[..., Any] | None = None, **known: Any) -> None:
        super().__init__(fn)

    def __call__(self, fn: Callable[..., Any]) -> Any:  # type: ignore[override]
        return _DependentProperty(fn)


def is_dependent(constraint: Any) -> bool:
    """Whether the constraint depends on a distribution's parameters."""
    return isinstance(constraint, _Dependent)


class _IndependentConstraint(Constraint):
    """A constraint that must hold for all elements of the last dimensions."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        for given, kind in ((base_constraint, Constraint), (reinterpreted_batch_ndims, int)):
            if not isinstance(given, kind):
                raise AssertionError(f"expected {kind.__name__}, got {type(given).__name__}")
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
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
    def check(self, value: Any) -> Tensor:
        return value == value  # false for nan


dependent_property = _DependentProperty
independent = _IndependentConstraint
real = _Real()
