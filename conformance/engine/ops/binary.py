"""Functions of two numbers: remainders, quotients rounded down, angles, signs, logarithms of sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..creation import scalar_tensor
from ..dtypes import NUMBERS
from ..rows import Array, op
from ..tensor import Tensor

# Quotients and remainders -------------------------------------------------------------------------


def refuse_zero(kind: np.dtype[Any], divisor: Any) -> None:
    """Integers have no infinity to divide by zero to."""
    if kind.kind in "iu" and not np.all(divisor):
        raise RuntimeError("ZeroDivisionError")


def refuse_bool(kind: np.dtype[Any], kernel: str) -> None:
    """For kernels without a case for bools."""
    if kind.kind == "b":
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def _kind(self: Any, other: Any) -> np.dtype[Any]:
    return self.dtype if isinstance(self, np.ndarray) else other.dtype  # type: ignore[no-any-return]


def floor_quotient(self: Any, other: Any) -> Array:
    """Divided and rounded down; the infinities that IEEE division gives stay."""
    kind = _kind(self, other)
    refuse_bool(kind, "div_floor_cpu")
    refuse_zero(kind, other)
    quotient = np.floor_divide(self, other)
    return (
        np.where(np.equal(other, 0), np.true_divide(self, other), quotient) if kind.kind == "f" else quotient
    )


@op(name="floor_divide", meet="self other")
def _floor_divide(self: Any, other: Any) -> Array:
    return floor_quotient(self, other)


@op(
    "RemainderBackward0",
    name="remainder",
    meet="self other",
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * self.div(other, rounding_mode="floor"),
)
def _remainder(self: Any, other: Any) -> Array:
    kind = _kind(self, other)
    refuse_bool(kind, "remainder_cpu")
    refuse_zero(kind, other)
    return np.remainder(self, other)


def _first(input: Any, other: Any) -> Any:
    """A number before a tensor, as a tensor."""
    if input.__class__ in NUMBERS and isinstance(other, Tensor):
        return scalar_tensor(input, dtype=dtypes.of_number(input))
    return input


def floor_divide(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """The quotient, rounded down."""
    return _floor_divide(_first(input, other), other, out=out)  # type: ignore[no-any-return]


def remainder(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """What is left of the division, with the sign of the divisor."""
    return _remainder(_first(input, other), other, out=out)  # type: ignore[no-any-return]
