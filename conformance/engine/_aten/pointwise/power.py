"""pow, float_power, square, sqrt, rsqrt and reciprocal."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.layout import contiguous_format
from ..._c10.operator_facts import composite
from ..._c10.zero_tensor import in_memory
from ..creation.factories import zeros_like
from ..inplace import run_inplace
from ..kernels import in_single
from ..registry import ROWS, Array, op
from ..scalar_operands import minus, times
from ..type_promotion import is_number, promote_operands
from .where_clamp import where


def _refuse_negative(exponent: Any) -> None:
    if exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")


def _to_a_number(base: Array, exponent: Any) -> Array:
    """A power with a number as exponent; torch has shortcuts for some, and numpy is slow for negative bases."""
    base = in_memory(base)
    if exponent == 2:
        return np.multiply(base, base)
    if exponent == 3:
        return np.multiply(np.multiply(base, base), base)
    if exponent == 0.5:
        return np.sqrt(base)
    if exponent == -1:
        return _reciprocal(base)
    if exponent == -2:
        return _reciprocal(np.multiply(base, base))
    if exponent == -0.5:
        return _reciprocal(np.sqrt(base))
    if base.dtype.kind == "c" and exponent not in (0, 1):
        return _complex_power(base, base.dtype.type(exponent))
    return np.power(base, exponent)


def _reciprocal(array: Array) -> Array:
    """1 / array; NumPy's reciprocal has other zeros for complex numbers than its division, and torch the latter's."""
    return np.divide(array.dtype.type(1), array) if array.dtype.kind == "c" else np.reciprocal(array)


def _complex_power(base: Any, exponent: Any) -> Array:
    """exp(log(base) * exponent); log(0) is infinite."""
    return np.exp(np.log(base) * exponent)


def _pow_backward(grad: Tensor, self: Tensor, exponent: Any) -> Tensor:
    if exponent == 0:
        return zeros_like(self, memory_format=contiguous_format)
    power = exponent if isinstance(exponent, complex) else float(exponent)
    return grad * times(self.pow(power - 1), power)


@op(
    "PowBackward0",
    promote="self",
    name="pow",
    overload="Tensor_Scalar",
    inplace_overload="Scalar",
    complex="holomorphic",
    jvp="auto_element_wise",
    self=_pow_backward,
)
def _pow_number(self: Array, exponent: Any) -> Array:
    if isinstance(exponent, complex) or self.dtype.kind not in "fV":
        self = promote_operands(False, self, exponent)[0]
    kind = self.dtype
    if kind.kind in "iu":
        _refuse_negative(exponent)
        return np.power(self, kind.type(dtypes.number_within(kind, exponent)))
    if kind.kind == "b":
        return np.logical_or(self, not exponent)
    if not dtypes.is_half(kind):
        return _to_a_number(self, exponent)
    exponent = dtypes.number_within(kind, exponent)
    if kind.kind == "V" and exponent in (3, -2):
        return _to_a_number(self, kind.type(exponent))
    return in_single(_to_a_number, self, float(kind.type(exponent)))


def _pow_backward_self(grad: Tensor, self: Tensor, exponent: Tensor) -> Tensor:
    return where(exponent == 0.0, 0, grad * (exponent * self.pow(minus(exponent, 1))))


def _pow_backward_exponent(grad: Tensor, self: Tensor, exponent: Tensor, result: Tensor) -> Tensor:
    base = self.to(dtypes.BY_NUMPY[dtypes.result_dtype(self._array, exponent._array)])
    return grad * where((base == 0).logical_and(exponent >= 0), 0, result * base.log())


@op(
    "PowBackward1",
    name="pow_tensor",
    promote="self exponent",
    overload="Tensor_Tensor",
    inplace_overload="Tensor",
    complex="holomorphic",
    jvp="auto_element_wise",
    vmap_inplace="fallback",
    operator="pow",
    self=_pow_backward_self,
    exponent=_pow_backward_exponent,
)
def _pow_tensor(self: Any, exponent: Any) -> Array:
    return _power(self, exponent)


def _power(self: Any, exponent: Any) -> Array:
    kind = np.asarray(self).dtype
    if kind.kind == "b":
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")
    if kind.kind == "i" and np.any(np.less(exponent, 0)):
        # An integer to a negative power is 0, except for the bases 1 and -1.
        result = np.power(self, np.maximum(exponent, 0))
        signs = np.where(
            np.equal(self, -1), np.where(np.asarray(exponent) % 2 == 0, 1, -1), np.equal(self, 1)
        )
        return np.where(np.less(exponent, 0), signs, result).astype(kind)
    if kind.kind == "c":
        return _complex_power(self, exponent)
    return np.power(self, exponent)


@op(
    "PowBackward2",
    name="pow_of_number",
    tensors="exponent",
    overload="Scalar",
    complex="holomorphic",
    jvp="auto_element_wise",
    vmap="pointwise",
    operator="pow",
    exponent=lambda grad, self, exponent, result: _pow_number_backward(grad, self, exponent, result),
)
def _pow_of_number(self: Any, exponent: Array) -> Array:
    kind = dtypes.result_dtype(exponent, self)
    if self == 1 and kind.kind != "b":
        return np.ones(exponent.shape, kind)
    found = _power(np.asarray(self).astype(kind), exponent.astype(kind, copy=False))
    return np.ascontiguousarray(found).reshape(exponent.shape)


def _pow_number_backward(grad: Tensor, base: Any, exponent: Tensor, result: Tensor) -> Tensor:
    with_log = times(result, float(np.log(np.float64(base))))
    return grad * (where(exponent >= 0, 0, with_log) if base == 0 else with_log)


@composite(vmap="decompose")
def pow(input: Any, exponent: Any, *, out: Any = None) -> Tensor:
    """input to the power of exponent; one of them may be a number."""
    if is_number(exponent):
        return _pow_number(input, exponent, out=out)
    if is_number(input) and isinstance(exponent, Tensor):
        return _pow_of_number(input, exponent, out=out)
    return _pow_tensor(input, exponent, out=out)


@composite(vmap_inplace="fallback")
def pow_(self: Tensor, exponent: Any) -> Tensor:
    """pow, in place."""
    return run_inplace(ROWS["pow" if is_number(exponent) else "pow_tensor"], [self, exponent])


@composite(vmap="decompose", out=True)
def float_power(input: Any, exponent: Any) -> Tensor:
    """pow, computed in double precision."""
    kind: dtypes.dtype = dtypes.float64
    number: Any = float
    for each in (input, exponent):
        array = each._array if isinstance(each, Tensor) else np.asarray(each)
        if array.dtype.kind == "c":
            kind, number = dtypes.complex128, complex
    base = input.to(kind) if isinstance(input, Tensor) else number(input)
    to = exponent.to(kind) if isinstance(exponent, Tensor) else number(exponent)
    return pow(base, to)


@composite(vmap="fallback", overload="Tensor Scalar")
def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """float_power, in place."""
    array = exponent._array if isinstance(exponent, Tensor) else np.asarray(exponent)
    complexes = "c" in (self._array.dtype.kind, array.dtype.kind)
    kind = dtypes.complex128 if complexes else dtypes.float64
    need_fitting(self.dtype is kind, "Tensor.float_power_")
    if isinstance(exponent, Tensor):
        return pow_(self, exponent.to(kind))
    return pow_(self, complex(exponent) if complexes else float(exponent))


@composite(vmap="decompose", out=True)
def square(input: Tensor) -> Tensor:
    """input ** 2."""
    return _pow_number(input, 2)


@composite(variants="function, method", vmap="fallback")
def square_(self: Tensor) -> Tensor:
    """square, in place."""
    return pow_(self, 2)


@op(
    "SqrtBackward0",
    promote="self",
    to_float=True,
    complex="holomorphic",
    jvp="auto_element_wise",
    undefined_argument=(0, "self"),
    inplace="function, method",
    self=lambda grad, result: grad / times(result, 2),
)
def sqrt(self: Array) -> Array:
    """The square root; nan for negative numbers."""
    return np.sqrt(self)


def half_opposed(factor: Tensor, grad: Tensor) -> Tensor:
    """-0.5 * grad * factor, evaluating the factor first: see Note [Right operands first]."""
    return times(grad, -0.5) * factor


@op(
    "RsqrtBackward0",
    promote="self",
    to_float=True,
    complex="holomorphic",
    jvp="auto_element_wise",
    undefined_argument=(0, "self"),
    inplace="function, method",
    self=lambda grad, result: half_opposed(result.pow(3), grad),
)
def rsqrt(self: Array) -> Array:
    """1 / sqrt(self)."""
    return in_single(lambda array: _reciprocal(np.sqrt(array)), self)


def _reciprocal_backward(grad: Tensor, result: Tensor) -> Tensor:
    square = result * result  # see Note [Right operands first]
    return -grad * square


@op(
    "ReciprocalBackward0",
    promote="self",
    to_float=True,
    complex="holomorphic",
    jvp="auto_element_wise",
    undefined_argument=(0, "self"),
    inplace="function, method",
    self=_reciprocal_backward,
)
def reciprocal(self: Array) -> Array:
    """1 / self."""
    return _reciprocal(self)
