"""What parameters and values of distributions have to satisfy (torch/distributions/constraints.py)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from ..absent import look_up
from ..creation import full
from ..dtypes import bool_, finfo
from ..linalg import cholesky_ex, eigvalsh, norm
from ..ops import FUNCTIONS
from ..tensor import Tensor

_cat, _isclose, _stack = FUNCTIONS["cat"], FUNCTIONS["isclose"], FUNCTIONS["stack"]


class Constraint:
    """A region in which a value may be; ``event_dim`` of its last dimensions are looked at together."""

    __module__ = "torch.distributions.constraints"
    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Any) -> Tensor:
        """For each event, whether it is inside."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


class _Dependent(Constraint):
    """One that depends on the distribution; what it is may be known all the same."""

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
    """A property that gives a constraint; a decorator, with what is known of it or without."""

    __module__ = "torch.distributions.constraints"

    def __init__(self, fn: Callable[..., Any] | None = None, **known: Any) -> None:
        property.__init__(self, fn)
        _Dependent.__init__(self, **known)

    def __call__(self, fn: Callable[..., Any]) -> Any:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Any) -> bool:
    """Whether only a distribution can tell what is inside."""
    return isinstance(constraint, _Dependent)


class _IndependentConstraint(Constraint):
    """One that holds for all elements of the last dimensions."""

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


class MixtureSameFamilyConstraint(Constraint):
    """One that holds for all components of a mixture."""

    __module__ = "torch.distributions.constraints"

    def __init__(self, base_constraint: Constraint) -> None:
        self.base_constraint = base_constraint
        self.is_discrete, self.event_dim = base_constraint.is_discrete, base_constraint.event_dim

    def check(self, value: Any) -> Tensor:
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return result.reshape((*value.shape[: value.dim() - self.event_dim], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Boolean(Constraint):
    __module__ = "torch.distributions.constraints"
    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    __module__ = "torch.distributions.constraints"
    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Tensor:
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Real(Constraint):
    __module__ = "torch.distributions.constraints"

    def check(self, value: Any) -> Tensor:
        return value == value  # which a nan does not


class _Bounded(Constraint):
    """Between the bounds that are named."""

    __module__ = "torch.distributions.constraints"
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
    __module__ = "torch.distributions.constraints"
    bounds = ("lower_bound",)

    def check(self, value: Any) -> Tensor:
        return self.lower_bound < value


class _GreaterThanEq(_Bounded):
    __module__ = "torch.distributions.constraints"
    bounds = ("lower_bound",)

    def check(self, value: Any) -> Tensor:
        return self.lower_bound <= value


class _LessThan(_Bounded):
    __module__ = "torch.distributions.constraints"
    bounds = ("upper_bound",)

    def check(self, value: Any) -> Tensor:
        return value < self.upper_bound


class _Interval(_Bounded):
    __module__ = "torch.distributions.constraints"
    bounds = ("lower_bound", "upper_bound")

    def check(self, value: Any) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Bounded):
    __module__ = "torch.distributions.constraints"
    bounds = ("lower_bound", "upper_bound")

    def check(self, value: Any) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Interval):
    __module__ = "torch.distributions.constraints"
    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value % 1 == 0) & super().check(value)


class _IntegerGreaterThan(_Bounded):
    __module__ = "torch.distributions.constraints"
    bounds = ("lower_bound",)
    is_discrete = True

    def check(self, value: Any) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Simplex(Constraint):
    __module__ = "torch.distributions.constraints"
    event_dim = 1

    def check(self, value: Any) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """Counts that are no more than ``upper_bound`` together."""

    __module__ = "torch.distributions.constraints"
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Any) -> Tensor:
        return (x >= 0).all(dim=-1) & (x.sum(dim=-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    __module__ = "torch.distributions.constraints"
    event_dim = 2

    def check(self, value: Any) -> Tensor:
        return (value.tril() == value).view((*value.shape[:-2], -1)).min(-1)[0]


class _LowerCholesky(_LowerTriangular):
    __module__ = "torch.distributions.constraints"

    def check(self, value: Any) -> Tensor:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).min(-1)[0]


class _CorrCholesky(_LowerCholesky):
    """With rows of length 1."""

    __module__ = "torch.distributions.constraints"

    def check(self, value: Any) -> Tensor:
        tolerance = finfo(value.dtype).eps * value.size(-1) * 10
        unit = (norm(value.detach(), dim=-1) - 1.0).abs().le(tolerance).all(dim=-1)
        return super().check(value) & unit


class _Square(Constraint):
    __module__ = "torch.distributions.constraints"
    event_dim = 2

    def check(self, value: Any) -> Tensor:
        return full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=bool_)


class _Symmetric(_Square):
    __module__ = "torch.distributions.constraints"

    def check(self, value: Any) -> Tensor:
        square = super().check(value)
        return _isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if square.all() else square


class _PositiveSemidefinite(_Symmetric):
    __module__ = "torch.distributions.constraints"

    def check(self, value: Any) -> Tensor:
        symmetric = super().check(value)
        return eigvalsh(value).ge(0).all(-1) if symmetric.all() else symmetric


class _PositiveDefinite(_Symmetric):
    __module__ = "torch.distributions.constraints"

    def check(self, value: Any) -> Tensor:
        symmetric = super().check(value)
        return cholesky_ex(value).info.eq(0) if symmetric.all() else symmetric


class _Joined(Constraint):
    """Constraints of parts along a dimension."""

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


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean, one_hot, real = _Boolean(), _OneHot(), _Real()
real_vector = _IndependentConstraint(real, 1)
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, integer_interval, half_open_interval = _Interval, _IntegerInterval, _HalfOpenInterval
nonnegative_integer, positive_integer = _IntegerGreaterThan(0), _IntegerGreaterThan(1)
positive, nonnegative, unit_interval = _GreaterThan(0.0), _GreaterThanEq(0.0), _Interval(0.0, 1.0)
simplex, lower_cholesky, square = _Simplex(), _LowerCholesky(), _Square()
symmetric, positive_definite, positive_semidefinite = (
    _Symmetric(),
    _PositiveDefinite(),
    _PositiveSemidefinite(),
)
lower_triangular, corr_cholesky = _LowerTriangular(), _CorrCholesky()
multinomial, cat, stack = _Multinomial, _Cat, _Stack

__getattr__ = look_up("torch.distributions.constraints")
