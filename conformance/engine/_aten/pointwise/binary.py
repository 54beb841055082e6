"""Binary and ternary operators: atan2, copysign, ldexp, logaddexp, lerp, addcmul, gcd, isclose and others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import unsupported
from ..._autograd.views import increment_version
from ..._c10 import dtypes
from ..._c10.dtypes import c_name
from ..._c10.operator_facts import Out, composite
from ..creation.factories import full_like, zeros_like, zeros_written
from ..inplace import run_inplace
from ..kernels import half_up, need_floats, need_inexact, need_integers, refuse_bools
from ..registry import ROWS, Array, op
from ..scalar_operands import less_than, plus, scaled_by, times
from ..type_promotion import is_number
from .where_clamp import where

# Angles and lengths -------------------------------------------------------------------------------


def _atan2_backward(grad: Tensor, self: Tensor, other: Tensor, needed: Any) -> Any:
    of_other = other * other  # see Note [Right operands first]
    square = self * self + of_other
    recip = square.reciprocal().masked_fill(square == 0, 0)
    return (
        grad * other * recip if needed[0] else None,
        grad * -self * recip if needed[1] else None,
    )


@op(
    "Atan2Backward0",
    promote="self other",
    numbers=False,
    to_float=True,
    no_complex="atan2_cpu",
    jvp="auto_element_wise",
    inplace="method",
    vmap_unbatched="broadcast",
    inputs={"self other": _atan2_backward},
)
def atan2(self: Array, other: Array) -> Array:
    """The angle of the point (other, self)."""
    return np.arctan2(self, other)


arctan2 = atan2


@op(
    "HypotBackward0",
    promote="self other",
    numbers=False,
    no_complex="hypot_cpu",
    jvp="auto_element_wise",
    vmap_inplace="fallback",
    inplace="method",
    self=lambda grad, self, result: grad * self / result,
    other=lambda grad, other, result: grad * other / result,
)
def hypot(self: Array, other: Array) -> Array:
    """sqrt(self**2 + other**2)."""
    need_floats("hypot_cpu", self)
    return np.hypot(self, other)


# Signs and neighbours -----------------------------------------------------------------------------


def _copysign_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    ratio = result / self
    return grad * ratio.masked_fill_(self == 0, 0)


@op(
    "CopysignBackward0",
    name="copysign_tensor",
    promote="self other",
    numbers=False,
    to_float=True,
    overload="Tensor",
    no_complex="copysign_cpu",
    operator="copysign",
    self=_copysign_backward,
    other=lambda _other_sym_sizes, _other_scalar_type: zeros_written(_other_sym_sizes, _other_scalar_type),
)
def _copysign_tensor(self: Array, other: Array) -> Array:
    return np.copysign(self, other)


@op(
    "CopysignBackward1",
    name="copysign",
    promote="self",
    to_float=True,
    overload="Scalar",
    no_complex="copysign_cpu",
    wrapped_number=True,
    vmap_unbatched="broadcast",
    self=_copysign_backward,
)
def _copysign_number(self: Array, other: Any) -> Array:
    return np.copysign(self, self.dtype.type(other))


@composite(vmap="decompose", out=True)
def copysign(input: Tensor, other: Any) -> Tensor:
    """The magnitude of input with the sign of other."""
    return (_copysign_number if is_number(other) else _copysign_tensor)(input, other)


@composite(vmap_unbatched="broadcast")
def copysign_(self: Tensor, other: Any) -> Tensor:
    """copysign, in place."""
    return run_inplace(ROWS["copysign" if is_number(other) else "copysign_tensor"], [self, other])


@op(
    "NextafterBackward0",
    promote="self other",
    numbers=False,
    vmap_inplace="fallback",
    inplace="method",
    self=lambda grad, self, other: where(self != other, grad, 0),
    other=lambda other: zeros_like(other).zero_(),  # torch writes these zeros in place
)
def nextafter(self: Array, other: Array) -> Array:
    """The next representable number after self in the direction of other."""
    need_floats("nextafter_cpu", self)
    return np.nextafter(self, other)


def _same_types(self: Array, values: Array) -> None:
    if "c" in (self.dtype.kind, values.dtype.kind):
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if self.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


@op(
    "NotImplemented",
    promote="self values",
    numbers=False,
    check=_same_types,
    no_complex=RuntimeError("heaviside is not yet implemented for complex tensors."),
    vmap_inplace="fallback",
    inplace="method",
    out=Out(operator="aten::heaviside"),
    self=unsupported("heaviside"),
    values=unsupported("heaviside"),
)
def heaviside(self: Array, values: Array) -> Array:
    """0 where self < 0, 1 where self > 0, and ``values`` where self == 0."""
    return np.where(self == 0, values, (self > 0).astype(self.dtype))


# Powers of two and sums of exponentials -----------------------------------------------------------


def _refuse_bool_exponent(self: Any, other: Any) -> None:
    if self.dtype.kind in "fV":
        refuse_bools("ldexp_cpu_exp", other)


@op(
    "LdexpBackward0",
    promote="self other",
    numbers=False,
    to_float=True,
    check=_refuse_bool_exponent,
    overload="Tensor",
    inplace_overload="default",
    complex="holomorphic",
    handle_r_to_c=False,
    vmap_inplace="fallback",
    self=lambda grad, other: grad * other.__rpow__(2),
    other=lambda grad, result: times(grad * result, math.log(2)),
)
def ldexp(self: Array, other: Array) -> Array:
    """self * 2**other."""
    wide = other.astype(np.complex128 if other.dtype.kind == "c" else np.float64)
    return np.multiply(self, np.exp2(wide).astype(self.dtype))


@composite(variants="function, method", vmap_inplace="fallback")
def ldexp_(self: Tensor, other: Tensor) -> Tensor:
    """ldexp, in place."""
    if isinstance(other, Tensor) and self._array.dtype.kind not in "fcV":
        raise RuntimeError(f"ldexp can't be cast to the desired output type {self.dtype.legacy}")
    return run_inplace(ROWS["ldexp"], [self, other])


@op(
    "LogaddexpBackward0",
    promote="self other",
    numbers=False,
    complex="holomorphic",
    handle_r_to_c=False,
    jvp="auto_element_wise",
    self=lambda grad, self, other: grad / plus((other - self).exp(), 1),
    other=lambda grad, self, other: grad / plus((self - other).exp(), 1),
)
def logaddexp(self: Array, other: Array) -> Array:
    """log(exp(self) + exp(other))."""
    need_inexact("logaddexp_cpu", self)
    return log_add_exp(self, other)


def log_add_exp(a: Array, b: Array) -> Array:
    """log(exp(a) + exp(b)); complex numbers factor out the one with the greater real part (torch: LogAddExp.h)."""
    if a.dtype.kind != "c":
        return np.logaddexp(a, b)
    a, b = np.broadcast_arrays(a, b)
    swapped = ~(a.real < b.real)
    least, most = np.where(swapped, b, a), np.where(swapped, a, b)
    result = np.log1p(np.exp(least - most)) + most
    same = ~np.isfinite(least.real) & (least.real == most.real)
    result = np.where(same, np.where(least.real < 0, least, np.log(np.exp(least) + np.exp(most))), result)
    return np.where(np.isnan(a) | np.isnan(b), result.dtype.type(complex(np.nan, np.nan)), result)


@op(
    "Logaddexp2Backward0",
    promote="self other",
    numbers=False,
    jvp="auto_element_wise",
    self=lambda grad, self, other: grad / plus((other - self).__rpow__(2), 1),
    other=lambda grad, self, other: grad / plus((self - other).__rpow__(2), 1),
)
def logaddexp2(self: Array, other: Array) -> Array:
    """log2(2**self + 2**other)."""
    need_floats("logaddexp2_cpu", self)
    return np.logaddexp2(self, other)


# Interpolation and sums of products ---------------------------------------------------------------


def _same_type(self: Array, end: Array, weight: Any = None) -> None:
    for name, each in (("end", end), ("weight", weight)):
        if each is not None and each.dtype != self.dtype and (name == "end" or weight.ndim):
            have, want = c_name(each.dtype), c_name(self.dtype)
            raise RuntimeError(f"expected dtype {want} for `{name}` but got dtype {have}")


def _interpolate(self: Array, end: Array, weight: Any) -> Array:
    """Interpolate from whichever end point is nearer, as torch's lerp does."""
    if dtypes.is_half(self.dtype):
        return _interpolate(half_up(self), half_up(end), np.asarray(weight, np.float32)).astype(self.dtype)
    difference = end - self
    near = np.abs(weight) < 0.5
    if near.ndim == 0:
        return difference * (weight if near else weight - 1) + (self if near else end)
    return np.asarray(difference * np.where(near, weight, weight - 1) + np.where(near, self, end))


@op(
    "LerpBackward0",
    name="lerp",
    promote="self end",
    numbers=False,
    check=_same_type,
    overload="Scalar",
    complex="holomorphic",
    tangent_writes=0,
    vmap_operands="same_dtype",
    vmap_inplace="fallback",
    self=lambda grad, weight: times(grad, 1 - weight),
    end=lambda grad, weight: times(grad, weight),
)
def _lerp_number(self: Array, end: Array, weight: Any) -> Array:
    need_inexact("lerp_kernel_scalar", self)
    weight = dtypes.number_in_single(self.dtype, weight)
    return _interpolate(self, end, np.promote_types(self.dtype, np.float32).type(weight))


@op(
    "LerpBackward1",
    name="lerp_tensor",
    promote="self end weight",
    numbers=False,
    check=_same_type,
    overload="Tensor",
    complex="holomorphic",
    handle_r_to_c=False,
    tangent_writes=0,
    vmap_inplace="fallback",
    operator="lerp",
    self=lambda grad, weight: grad * less_than(1, weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, self, end: grad * (end - self),
)
def _lerp_tensor(self: Array, end: Array, weight: Array) -> Array:
    need_inexact("lerp_kernel_tensor", self)
    return _interpolate(self, end, weight)


@composite(vmap="decompose", out=True)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """input + weight * (end - input)."""
    return (_lerp_tensor if isinstance(weight, Tensor) else _lerp_number)(input, end, weight)


@composite(vmap_inplace="fallback")
def lerp_(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    """lerp, in place."""
    return run_inplace(ROWS["lerp_tensor" if isinstance(weight, Tensor) else "lerp"], [self, end, weight])


def _scaled(array: Array, value: Any, kind: np.dtype[Any]) -> Array:
    if value == 1:
        return array
    return np.asarray(dtypes.number_in_single(kind, value)).astype(kind) * array


@op(
    "AddcmulBackward0",
    promote="self tensor1 tensor2",
    numbers=False,
    complex="holomorphic",
    jvp="multilinear",
    tangent_writes=0,
    vmap_inplace="fallback",
    inplace="method",
    deprecated_numbers="value",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * times(tensor2, value),
    tensor2=lambda grad, tensor1, value: grad * times(tensor1, value),
)
def addcmul(self: Array, tensor1: Array, tensor2: Array, *, value: Any = 1) -> Array:
    """self + value * tensor1 * tensor2."""
    refuse_bools("addcmul_cpu_out", self)
    wide = half_up(self)
    scaled = _scaled(half_up(tensor1), value, wide.dtype)
    return np.asarray(scaled * half_up(tensor2) + wide).astype(self.dtype, copy=False)


_INTEGER_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) "
    "for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
    "tensor2), for all dtypes."
)


def _divisible(self: Array, tensor1: Array, tensor2: Array) -> None:
    if tensor1.dtype.kind in "iub" and tensor2.dtype.kind in "iub":
        raise RuntimeError(_INTEGER_ADDCDIV)


def _quotient_of(value: Any, tensor: Tensor) -> Tensor:
    """value / tensor: torch fills a tensor with the number and divides it in place."""
    return full_like(tensor, value).div_(tensor)


def _addcdiv_factor(tensor1: Tensor, tensor2: Tensor, value: Any) -> Tensor:
    square = tensor2 * tensor2  # see Note [Right operands first]
    return times(tensor1, value) / square


def _addcdiv_divisor_backward(grad: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any) -> Tensor:
    factor = _addcdiv_factor(tensor1, tensor2, value)
    return -grad * factor


@op(
    "AddcdivBackward0",
    promote="self tensor1 tensor2",
    numbers=False,
    check=_divisible,
    complex="holomorphic",
    tangent_writes=0,
    vmap_inplace="fallback",
    inplace="method",
    deprecated_numbers="value",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * _quotient_of(value, tensor2),
    tensor2=_addcdiv_divisor_backward,
)
def addcdiv(self: Array, tensor1: Array, tensor2: Array, *, value: Any = 1) -> Array:
    """self + value * tensor1 / tensor2."""
    wide = half_up(self)
    quotient = _scaled(half_up(tensor1), value, wide.dtype) / half_up(tensor2)
    return (wide + quotient).astype(self.dtype, copy=False)


# Common divisors ----------------------------------------------------------------------------------


@op(promote="self other", numbers=False, inplace="function, method", vmap_unbatched="broadcast")
def gcd(self: Array, other: Array) -> Array:
    """The greatest common divisor."""
    need_integers("gcd_cpu", self)
    # torch's Euclidean algorithm, in which the absolute value of an integer dtype's minimum is negative
    a, b = np.broadcast_arrays(np.abs(self), np.abs(other))
    while a.any():
        a, b = np.where(a == 0, a, np.fmod(b, np.where(a == 0, 1, a))), np.where(a == 0, b, a)
    return b


@op(promote="self other", numbers=False, inplace="function, method", vmap_unbatched="broadcast")
def lcm(self: Array, other: Array) -> Array:
    """The least common multiple."""
    need_integers("lcm_cpu", self)
    return np.lcm(self, other)


# isclose, allclose, equal -------------------------------------------------------------------------


@composite(vmap="fallback")
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Where abs(input - other) <= atol + rtol * abs(other)."""
    result: Tensor = _isclose(input, other, rtol, atol, equal_nan)
    for _ in range(
        (equal_nan and (input.is_floating_point() or input.is_complex())) + (rtol != 0 or atol != 0)
    ):
        increment_version(result)  # torch writes into the result of == in place
    return result


def _matching(self: Array, other: Array) -> None:
    if self.dtype != other.dtype:
        a, b = dtypes.BY_NUMPY[self.dtype].legacy, dtypes.BY_NUMPY[other.dtype].legacy
        raise RuntimeError(f"{a} did not match {b}")


@op(name="isclose", promote="self other", numbers=False, check=_matching, vmap="fallback")
def _isclose(self: Array, other: Array, rtol: float, atol: float, equal_nan: bool) -> Array:
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    close = self == other
    if equal_nan and self.dtype.kind in "fcV":
        close = close | (np.isnan(self) & np.isnan(other))
    if rtol == 0 and atol == 0:
        return close
    if self.dtype.kind not in "fcV":
        self, other = self.astype(dtypes.default.numpy), other.astype(dtypes.default.numpy)
    error, allowed = np.abs(self - other), np.abs(scaled_by(np.multiply, other, rtol))
    return close | (np.isfinite(error) & (error <= allowed + allowed.dtype.type(atol)))


@composite(
    no_vmap="vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether isclose holds everywhere."""
    return bool(_isclose(input, other, rtol, atol, equal_nan)._array.all())


@composite(vmap="no_fallback")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and values are the same."""
    return bool(_equal(input, other)._array)


@op(name="equal", tensors="self other")
def _equal(self: Array, other: Array) -> Any:
    return self.shape == other.shape and bool(np.all(self == other))
