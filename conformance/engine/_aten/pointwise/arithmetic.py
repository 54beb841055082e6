"""add, sub, mul, div and neg (their formulas are those of torch's derivatives.yaml)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10 import dtypes
from ..._c10.dtypes import FULL_PRECISION, NUMBERS
from ..._c10.operator_facts import composite
from ..._c10.shapes import broadcast_shapes, laid_out
from ..creation.factories import zeros_like
from ..inplace import run_inplace
from ..kernels import (
    check_subtractable,
    floor_quotient,
    half_up,
    refuse_bool_negation,
    trunc_quotient,
)
from ..registry import ROWS, Array, op
from ..scalar_operands import maybe_times, scaled_by
from ..type_promotion import MISSING, promote_scaled


def _check_alpha(alpha: Any, result: np.dtype[Any]) -> None:
    """Check that alpha is a number of the result's kind."""
    if alpha.__class__ is bool and result.kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if result.kind not in "fcV" and isinstance(alpha, (float, complex)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if result.kind != "c" and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def _scaled(other: Any, alpha: Any) -> Any:
    """alpha * other. Complex numbers are multiplied even by 1, which turns infinities into nan."""
    kind = np.asarray(other).dtype.kind
    if alpha == 1 and kind != "c":
        return other
    if isinstance(other, np.ndarray):
        return np.multiply(other, _factor(alpha, other.dtype))
    return other * alpha


def _factor(alpha: Any, kind: np.dtype[Any]) -> Any:
    """alpha as a number of the dtype."""
    return np.asarray(dtypes.number_within(kind, alpha)).astype(kind)[()]


def _plus_scaled(self: Any, other: Any, alpha: Any, sign: int = 1) -> Array:
    """self + sign * alpha * other, of promoted operands, one of which may be a number."""
    kind = dtypes.result_dtype(self, other)
    _check_alpha(alpha, kind)
    if alpha != 1 and dtypes.is_half(kind):
        wide = half_up(other) * np.float32(sign * _factor(alpha, kind))
        return np.add(half_up(self), half_up(wide.astype(kind))).astype(kind)
    result: Array = (np.add if sign > 0 else np.subtract)(self, _scaled(other, alpha))
    return result


@op(
    "AddBackward0",
    promote="self other",
    ufunc=np.add,
    overload="Tensor",
    complex="holomorphic",
    jvp="auto_linear",
    vmap_operands="tensors",
    inplace="method",
    vmap_unbatched="broadcast",
    deprecated_numbers="alpha",
    numbers_as_tensors=True,
    self=lambda grad: grad,
    other=maybe_times,
)
def add(self: Any, other: Any, *, alpha: Any = 1) -> Array:
    """self + alpha * other."""
    if alpha.__class__ is int and alpha == 1:
        result: Array = np.add(self, other)
        if result.dtype.kind != "c" or _is_finite(result):
            return result
    return _plus_scaled(self, other, alpha)


def _is_finite(array: Array) -> bool:
    return bool(np.isfinite(array).all())


@op(
    "SubBackward0",
    promote="self other",
    ufunc=np.subtract,
    check=check_subtractable,
    overload="Tensor",
    complex="holomorphic",
    jvp="auto_linear",
    vmap_operands="tensors",
    inplace="method",
    vmap_unbatched="arithmetic",
    deprecated_numbers="alpha",
    numbers_as_tensors=True,
    self=lambda grad: grad,
    other=lambda grad, alpha: maybe_times(-grad, alpha),
)
def sub(self: Any, other: Any, *, alpha: Any = 1) -> Array:
    """self - alpha * other."""
    if self.dtype == np.bool_:
        check_subtractable(self, other)
    if alpha.__class__ is int and alpha == 1:
        result: Array = np.subtract(self, other)
        if result.dtype.kind != "c" or _is_finite(result):
            return result
    return _plus_scaled(self, other, alpha, -1)


@op(
    "RsubBackward1",
    promote="self",
    name="rsub",
    tensors="self",
    overload="Scalar",
    complex="holomorphic",
    wrapped_number=True,
    self=lambda grad, alpha: maybe_times(-grad, alpha),
)
def _rsub_number(self: Any, other: Any, alpha: Any = 1) -> Array:
    """other - alpha * self, for a number."""
    if self.dtype in FULL_PRECISION and alpha.__class__ is int and alpha == 1 and other.__class__ is not bool:
        return np.subtract(other, self)
    check_subtractable(self, other)
    kind = dtypes.result_dtype(self, other)
    return _plus_scaled(np.asarray(other).astype(kind), self.astype(kind, copy=False), alpha, -1)


@op(
    "RsubBackward0",
    name="rsub_tensor",
    promote="self other",
    check=check_subtractable,
    numbers=False,
    overload="Tensor",
    complex="holomorphic",
    jvp="auto_linear",
    elementwise=False,
    operator="rsub",
    self=lambda grad, alpha: maybe_times(-grad, alpha),
    other=lambda grad: grad,
)
def _rsub_tensor(self: Array, other: Array, alpha: Any = 1) -> Array:
    check_subtractable(self, other)
    broadcast_shapes(other.shape, self.shape)  # torch's error names the shapes in this order
    return laid_out(_plus_scaled(other, self, alpha, -1), other, self)


@composite(variants="function", vmap="decompose")
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """other - alpha * input."""
    if other.__class__ in NUMBERS:
        return _rsub_number(input, other, alpha)
    if isinstance(other, Tensor):
        return _rsub_tensor(input, other, alpha)
    raise TypeError("rsub(): no number and no tensor")  # replaced by torch's message in the caller


@op(
    "MulBackward0",
    promote="self other",
    ufunc=np.multiply,
    promotion=promote_scaled,
    overload="Tensor",
    complex="holomorphic",
    jvp="bilinear",
    vmap_operands="tensors",
    inplace="method",
    vmap_unbatched="arithmetic",
    numbers_as_tensors=True,
    self=lambda grad, other: grad * other,
    other=lambda grad, self: grad * self,
)
def mul(self: Any, other: Any) -> Array:
    """self * other."""
    return scaled_by(np.multiply, self, other)


def _div_other_backward(grad: Tensor, self: Any, other: Tensor) -> Tensor:
    factor = div(self, other) / other  # see Note [Right operands first]
    return -grad * factor


@op(
    "DivBackward0",
    name="div",
    promote="self other",
    ufunc=np.true_divide,
    promotion=promote_scaled,
    to_float=True,
    overload="Tensor",
    complex="holomorphic",
    jvp="auto_element_wise",
    vmap_operands="tensors",
    vmap_unbatched="arithmetic",
    self=lambda grad, other: grad / other,
    other=_div_other_backward,
)
def _true_divide(self: Any, other: Any) -> Array:
    """self / other."""
    return scaled_by(np.true_divide, self, other)


@op(
    "DivBackward2",
    name="div_rounded",
    promote="self other",
    promotion=promote_scaled,
    overload="Tensor_mode",
    vmap_operands="tensors",
    operator="div",
    self=lambda grad, other, rounding_mode: zeros_like(grad),
    other=lambda grad, self, other, rounding_mode: zeros_like(grad),
)
def _div_rounded(self: Any, other: Any, rounding_mode: Any) -> Array:
    if rounding_mode == "floor":
        return floor_quotient(self, other)
    if rounding_mode == "trunc":
        return trunc_quotient(self, other)
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
    )


@op(
    "DivBackward2",
    name="div_unrounded",
    promote="self other",
    promotion=promote_scaled,
    to_float=True,
    overload="Tensor_mode",
    complex="holomorphic",
    jvp="auto_element_wise",
    vmap_operands="tensors",
    vmap_unbatched="arithmetic",
    operator="div",
    self=lambda grad, other, rounding_mode: grad / other,
    other=lambda grad, self, other, rounding_mode: _div_other_backward(grad, self, other),
)
def _div_unrounded(self: Any, other: Any, rounding_mode: Any) -> Array:
    """self / other where the rounding mode None was given, which its node saves."""
    return scaled_by(np.true_divide, self, other)


def _divided(rounding_mode: Any, input: Any, other: Any) -> tuple[str, list[Any]]:
    """The overload of div for a rounding mode, and its arguments."""
    if rounding_mode is MISSING:
        return "div", [input, other]
    return ("div_unrounded" if rounding_mode is None else "div_rounded"), [input, other, rounding_mode]


@composite(vmap="decompose", numbers_as_tensors=True)
def div(input: Any, other: Any, *, rounding_mode: Any = MISSING, out: Any = None) -> Tensor:
    """input / other, rounded towards zero ("trunc"), down ("floor"), or not at all (None)."""
    name, arguments = _divided(rounding_mode, input, other)
    return ROWS[name].call(*arguments, out=out)


@composite(vmap="decompose", vmap_unbatched="arithmetic")
def div_(self: Tensor, other: Any, *, rounding_mode: Any = MISSING) -> Tensor:
    """div, in place."""
    name, arguments = _divided(rounding_mode, self, other)
    return run_inplace(ROWS[name], arguments)


divide, divide_ = div, div_


@composite(vmap="decompose", numbers_as_tensors=True, out=True)
def true_divide(input: Any, other: Any) -> Tensor:
    """input / other."""
    return _true_divide(input, other)


@composite(vmap="decompose", vmap_unbatched="arithmetic")
def true_divide_(self: Tensor, other: Any) -> Tensor:
    """true_divide, in place."""
    return run_inplace(ROWS["div"], [self, other])


@op(
    "NegBackward0",
    promote="self",
    complex="holomorphic",
    jvp="auto_element_wise",
    inplace="function, method",
    self=lambda grad: -grad,
)
def neg(self: Array) -> Array:
    """-self."""
    refuse_bool_negation(self)
    return np.negative(self)


subtract, multiply, negative = sub, mul, neg
