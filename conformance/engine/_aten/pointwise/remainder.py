"""floor_divide, fmod and remainder."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import unsupported
from ..._c10 import dtypes
from ..._c10.operator_facts import Out, composite
from ..inplace import run_inplace
from ..kernels import floor_quotient, half_up, integral, kind_of, refuse_bools
from ..registry import ROWS, Array, op
from ..type_promotion import is_number, promote_scaled

# Quotients and remainders -------------------------------------------------------------------------


@op(
    "NotImplemented",
    name="floor_divide_tensor",
    promote="self other",
    promotion=promote_scaled,
    inplace_overload="Tensor",
    vmap_inplace="fallback",
    operator="floor_divide",
    self=unsupported("floor_divide"),
    other=unsupported("floor_divide"),
)
def _floor_divide(self: Any, other: Any) -> Array:
    return floor_quotient(self, other)


@op(
    "NotImplemented",
    name="floor_divide",
    promote="self other",
    numbers="other",
    promotion=promote_scaled,
    inplace_overload="Tensor",
    vmap_operands="tensors",
    vmap_inplace="fallback",
    out=Out(operator="aten::floor_divide"),
    self=unsupported("floor_divide"),
)
def _floor_divide_by_number(self: Array, other: Any) -> Array:
    return floor_quotient(self, other)


@composite(vmap="decompose", numbers_as_tensors=True, out=True)
def floor_divide(input: Any, other: Any) -> Tensor:
    """The quotient, rounded down."""
    if is_number(other) and not is_number(input):
        return _floor_divide_by_number(input, other)
    return _floor_divide(input, other)


@composite(vmap_inplace="fallback")
def floor_divide_(self: Tensor, other: Any) -> Tensor:
    """floor_divide, in place."""
    return run_inplace(ROWS["floor_divide" if is_number(other) else "floor_divide_tensor"], [self, other])


def _opposed(quotient: Tensor, grad: Tensor) -> Tensor:
    return -grad * quotient  # -grad is evaluated second: see Note [Right operands first]


def _remainder(self: Any, other: Any) -> Array:
    kind = kind_of(self, other)
    if dtypes.is_half(kind):
        return _remainder(half_up(self), half_up(other)).astype(kind)
    result = np.remainder(self, other)
    if result.dtype.kind != "f" or result.all():
        return result
    left: Array = np.where(
        result == 0, np.copysign(result, self), result
    )  # a zero remainder has the sign of self, as in fmod
    return left


def _modulo(name: str, function: Any, rounding: str) -> tuple[Any, Any]:
    """Register the overloads of fmod or remainder for a tensor and for a number as the divisor."""
    kernel = f"{name}_cpu"

    def by_tensor(self: Any, other: Any) -> Array:
        refuse_bools(kernel, self)
        integral(self, other)
        return function(self, other)

    node = f"{name.capitalize()}Backward"
    return (
        op(
            f"{node}1",
            name=f"{name}_tensor",
            promote="self other",
            numbers=False,
            no_complex=kernel,
            overload="Tensor",
            operator=name,
            tangent_writes=0,
            vmap_inplace="fallback",
            self=lambda grad: grad,
            other=lambda grad, self, other: _opposed(self.div(other, rounding_mode=rounding), grad),
        )(by_tensor),
        op(
            f"{node}0",
            name=name,
            promote="self other",
            numbers="other",
            no_complex=kernel,
            overload="Scalar",
            jvp="auto_element_wise",
            vmap_inplace="fallback",
            self=lambda grad: grad,
        )(by_tensor),
    )


_fmod_tensor, _fmod_number = _modulo("fmod", np.fmod, "trunc")
_remainder_tensor, _remainder_number = _modulo("remainder", _remainder, "floor")


@op(
    "NotImplemented",
    name="remainder_of_number",
    promote="self other",
    overload="Scalar_Tensor",
    no_complex="remainder_cpu",
    vmap_operands="tensors",
    operator="remainder",
    other=unsupported("remainder"),
)
def _remainder_of_number(self: Any, other: Array) -> Array:
    refuse_bools("remainder_cpu", other)
    integral(self, other)
    return _remainder(self, other)


@composite(vmap="decompose", out=True)
def fmod(input: Tensor, other: Any) -> Tensor:
    """The remainder of the division, with the sign of input."""
    return (_fmod_number if is_number(other) else _fmod_tensor)(input, other)


@composite(vmap="decompose", out=True)
def remainder(input: Any, other: Any) -> Tensor:
    """The remainder of the division, with the sign of other."""
    if is_number(input) and isinstance(other, Tensor):
        return _remainder_of_number(input, other)
    return (_remainder_number if is_number(other) else _remainder_tensor)(input, other)


@composite(vmap_inplace="fallback")
def fmod_(self: Tensor, other: Any) -> Tensor:
    """fmod, in place."""
    return run_inplace(ROWS["fmod" if is_number(other) else "fmod_tensor"], [self, other])


@composite(vmap_inplace="fallback")
def remainder_(self: Tensor, other: Any) -> Tensor:
    """remainder, in place."""
    return run_inplace(ROWS["remainder" if is_number(other) else "remainder_tensor"], [self, other])
