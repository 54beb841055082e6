"""torch.distributions.constraints: regions of valid parameters and values (torch: distributions/constraints.py)."""

from __future__ import annotations

from typing import Any

from .._arguments.absent_names import look_up
from .._aten.creation.factories import full
from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from .._c10.dtypes import bool_, finfo
from .._distributions.constraint_base import (
    Constraint,
    _Dependent,
    _DependentProperty,
    _IndependentConstraint,
    _Real,
    dependent_property,
    independent,
    is_dependent,
    real,
)
from ..linalg import cholesky_ex, eigvalsh, norm

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "real",
    "real_vector",
    "simplex",
    "unit_interval",
]  # fmt: skip

_isclose = FUNCTIONS["isclose"]


class MixtureSameFamilyConstraint(Constraint):
    """A constraint that must hold for all components of a mixture."""

    def __init__(self, base_constraint: Constraint) -> None:
        self.base_constraint = base_constraint
        self.event_dim = base_constraint.event_dim

    def check(self, value: Any) -> Tensor:
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return result.reshape((*value.shape[: value.dim() - self.event_dim], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Boolean(Constraint):
    def check(self, value: Any) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Bounded(Constraint):
    """The base of constraints with bounds, which are attributes."""

    bounds: tuple[str, ...] = ()
    lower_bound: Any
    upper_bound: Any

    def __init__(self, *given: Any, **named: Any) -> None:
        vars(self).update(zip(self.bounds, given, strict=False), **named)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__[1:]}({', '.join(f'{name}={getattr(self, name)}' for name in self.bounds)})"
        )


class _GreaterThan(_Bounded):
    bounds = ("lower_bound",)

    def check(self, value: Any) -> Tensor:
        return self.lower_bound < value


class _GreaterThanEq(_Bounded):
    bounds = ("lower_bound",)

    def check(self, value: Any) -> Tensor:
        return self.lower_bound <= value


class _LessThan(_Bounded):
    bounds = ("upper_bound",)

    def check(self, value: Any) -> Tensor:
        return value < self.upper_bound


class _Interval(_Bounded):
    bounds = ("lower_bound", "upper_bound")

    def check(self, value: Any) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerInterval(_Interval):
    def check(self, value: Any) -> Tensor:
        return (value % 1 == 0) & super().check(value)


class _IntegerGreaterThan(_Bounded):
    bounds = ("lower_bound",)

    def check(self, value: Any) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _LowerCholesky(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Tensor:
        triangular = (value.tril() == value).view((*value.shape[:-2], -1)).min(-1)[0]
        return triangular & (value.diagonal(dim1=-2, dim2=-1) > 0).min(-1)[0]


class _PositiveDefinite(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Tensor:
        valid = full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=bool_)
        if valid.all():
            valid = _isclose(value, value.mT, atol=1e-6).all(-2).all(-1)
        return cholesky_ex(value).info.eq(0) if valid.all() else valid


dependent = _Dependent()
boolean, one_hot = _Boolean(), _OneHot()
real_vector = _IndependentConstraint(real, 1)
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, integer_interval = _Interval, _IntegerInterval
nonnegative_integer = _IntegerGreaterThan(0)
positive, nonnegative, unit_interval = _GreaterThan(0.0), _GreaterThanEq(0.0), _Interval(0.0, 1.0)
simplex, lower_cholesky, positive_definite = _Simplex(), _LowerCholesky(), _PositiveDefinite()

for _class in [*vars().values()]:
    if isinstance(_class, type) and issubclass(_class, Constraint):
        _class.__module__ = "torch.distributions.constraints"

__getattr__ = look_up("torch.distributions.constraints")
