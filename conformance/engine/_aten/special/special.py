"""Special functions, and the aliases in torch.special (torch: native/UnaryOps, special_*)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import undefined
from ..._c10 import dtypes
from ..._c10.errors import unimplemented
from ..._c10.modes import state
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import laid_out
from ..creation.factories import scalar_tensor
from ..inplace import run_inplace
from ..kernels import float_function, half_up, scipy
from ..nn.softmax import log_softmax, softmax
from ..pointwise.rounding import round as round_to
from ..pointwise.unary import exp2, expm1, log1p, sigmoid
from ..pointwise.where_clamp import where
from ..registry import ROWS, Array, op
from ..scalar_operands import less_than, minus, over, plus, times
from ..type_promotion import is_number
from .gamma import digamma, igamma, igammac, lgamma, mvlgamma, polygamma

PUBLIC = ("erf", "erfc", "erfinv", "i0", "logit", "sinc", "xlogy", "xlogy_")

SQRT_PI = math.sqrt(math.pi)


# Error functions ----------------------------------------------------------------------------------


def _bell(self: Tensor, factor: float) -> Tensor:
    return times((-(self.pow(2))).exp(), factor)


erf = float_function(
    "ErfBackward0", "erf", scipy("erf"), "The error function.",
    lambda grad, self: _bell(self, 2.0 / SQRT_PI) * grad, no_complex="erf_vml_cpu", jvp="auto_element_wise", inplace="function, method",
)  # fmt: skip
erfc = float_function(
    "ErfcBackward0", "erfc", scipy("erfc"), "1 - erf(self).",
    lambda grad, self: _bell(self, -2.0 / SQRT_PI) * grad, no_complex="erfc_vml_cpu", jvp="auto_element_wise", inplace="function, method",
)  # fmt: skip
erfinv = float_function(
    "ErfinvBackward0", "erfinv", scipy("erfinv"), "The inverse of erf.",
    lambda grad, self: times(self.erfinv().pow(2).exp(), 0.5 * SQRT_PI) * grad,
    no_complex="erfinv_vml_cpu", jvp="auto_element_wise", inplace="method",
)  # fmt: skip
_erfcx = float_function(
    "SpecialErfcxBackward0", "special_erfcx", scipy("erfcx", half=False), "exp(self * self) * erfc(self).",
    lambda grad, self, result: minus(times(self, 2.0) * result, 2.0 / SQRT_PI) * grad,
    no_complex="erfcx_cpu", jvp="auto_element_wise",
)  # fmt: skip
_ndtri = float_function(
    "SpecialNdtriBackward0", "special_ndtri", scipy("ndtri", half=False), "The inverse of ndtr.",
    lambda grad, result: _ndtri_backward(grad, result), no_complex="ndtri_cpu", jvp="auto_element_wise",
)  # fmt: skip


def _ndtri_backward(grad: Tensor, result: Tensor) -> Tensor:
    factor = over(result.square(), 2).exp()  # here and below: see Note [Right operands first]
    return times(grad, math.sqrt(2 * math.pi)) * factor


def _log_ndtr_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    factor = (result + over(self.pow(2), 2)).neg().exp()
    return over(grad, math.sqrt(2 * math.pi)) * factor


def _log_ndtr_kernel(self: Array) -> Array:
    """Compute log_ndtr with torch's two branches, whose rounding affects the derivative in single precision."""
    if dtypes.is_half(self.dtype):
        raise unimplemented("log_ndtr_cpu", self.dtype)
    x = self
    t = x * x.dtype.type(math.sqrt(0.5))
    far = np.log(scipy("erfcx")(-t) / 2) - t * t
    return np.where(x < -1, far, np.log1p(-scipy("erfc")(t) / 2)).astype(self.dtype)


_log_ndtr = float_function(
    "SpecialLogNdtrBackward0", "special_log_ndtr", _log_ndtr_kernel, "The logarithm of ndtr.",
    lambda grad, self, result: _log_ndtr_backward(grad, self, result),
    no_complex="log_ndtr_cpu", jvp="auto_element_wise", vmap="fallback",
)  # fmt: skip


_entr = float_function(
    "SpecialEntrBackward0", "special_entr", scipy("entr"), "-self * log(self).",
    lambda grad, self: grad * (-plus(self.log(), 1)), no_complex="entr_cpu", jvp="auto_element_wise",
)  # fmt: skip


@composite(vmap="decompose", name="special_ndtr", out=Out(copied=True))
def _ndtr(input: Tensor) -> Tensor:
    return times(plus(times(_floating(input), math.sqrt(0.5)).erf(), 1), 0.5)


def _floating(input: Tensor) -> Tensor:
    return input if input._array.dtype.kind in "fcV" else input.to(dtypes.default)


# Bessel functions ---------------------------------------------------------------------------------


def _away_from_zero(kernel: str, self: Tensor, slope: Callable[[Tensor], Tensor]) -> Tensor:
    """The slope; 0.5 where abs(self) is at most the dtype's eps."""
    if dtypes.is_half(self._array.dtype):
        raise unimplemented(kernel, self._array.dtype)
    eps = float(dtypes.float_limits(self._array.dtype).eps)
    far = self.abs() > eps
    safe = where(far, self, scalar_tensor(eps, dtype=self.dtype))
    return where(far, slope(safe), scalar_tensor(0.5, dtype=self.dtype))


i0 = float_function(
    "I0Backward0", "i0", scipy("i0"), "The modified Bessel function of order 0.",
    lambda grad, self: grad * _i1(self), no_complex="i0_vml_cpu", jvp="auto_element_wise", inplace="function, method",
)  # fmt: skip


def _i0e_slope(self: Tensor, result: Tensor) -> Tensor:
    signed = self.sgn() * result  # here and below: see Note [Right operands first]
    return _i1e(self) - signed


def _i1_slope(self: Tensor, result: Tensor) -> Tensor:
    right = result * self.reciprocal()
    return self.i0() - right


def _i1e_slope(self: Tensor, result: Tensor) -> Tensor:
    inverse = self.reciprocal()
    right = result * (self.sgn() + inverse)
    return _i0e(self) - right


_i0e = float_function(
    "SpecialI0EBackward0", "special_i0e", scipy("i0e"), "i0(self) * exp(-abs(self)).",
    lambda grad, self, result: grad * _i0e_slope(self, result), no_complex="i0e_cpu", jvp="auto_element_wise",
)  # fmt: skip
_i1: Any = float_function(
    "SpecialI1Backward0", "special_i1", scipy("i1"), "The modified Bessel function of order 1.",
    lambda grad, self, result: (
        grad * _away_from_zero("i1_backward", self, lambda safe: _i1_slope(safe, result))
    ), no_complex="i1_cpu", jvp="auto_element_wise",
)  # fmt: skip
_i1e: Any = float_function(
    "SpecialI1EBackward0", "special_i1e", scipy("i1e"), "i1(self) * exp(-abs(self)).",
    lambda grad, self, result: (
        grad * _away_from_zero("i1e_backward", self, lambda safe: _i1e_slope(safe, result))
    ), no_complex="i1e_cpu", jvp="auto_element_wise",
)  # fmt: skip


# Products with logarithms -------------------------------------------------------------------------


def _over(divisor: Tensor, dividend: Tensor) -> Tensor:
    return dividend / divisor  # the divisor is evaluated first: see Note [Right operands first]


def _product_with_log(
    name: str, node: str, logarithm: Any, edge: float, slope: Any, text: str, overloads: tuple[str, str, str],
    **facts: Any,
) -> Any:  # fmt: skip
    """Register self * log(other) or self * log1p(other), which is 0 where self is 0.

    There is one overload for two tensors, and one each for a number as the first or the second argument. ``edge`` is
    where the logarithm is minus infinity, ``slope`` the divisor in its derivative.
    """

    def kernel(self: Any, other: Any) -> Array:
        product = np.where(np.equal(self, 0), np.zeros_like(other), self * logarithm(other))
        return np.where(np.isnan(other), np.nan, product).astype(other.dtype)

    def of_tensors(self: Array, other: Array) -> Array:
        return kernel(self, other)

    def of_number(self: Any, other: Array) -> Array:
        return kernel(np.asarray(self, other.dtype), other)

    def with_number(self: Array, other: Any) -> Array:
        return kernel(self, np.asarray(other, self.dtype))

    def number_gradient(grad: Tensor, self: Tensor, other: Any) -> Tensor:
        result = by_number(grad, other)
        return result if other > edge else result.masked_fill(self == 0.0, 0.0)

    of_both, with_first, with_second = overloads
    facts |= {"no_complex": f"{name.removeprefix('special_')}_cpu"}
    by_tensors: Any = op(
        f"{node}0", name=f"{name}_tensors", promote="self other", numbers=False, to_float=True,
        overload=of_both, operator=name, **facts,
        self=lambda grad, self, other: by_tensors(grad, other).masked_fill((self == 0.0) & (other <= edge), 0.0),
        other=lambda grad, self, other: _over(slope(other), grad * self),
    )(of_tensors)  # fmt: skip
    of_a_number = op(
        f"{node}1", name=f"{name}_of_number", promote="other", to_float=True,
        overload=with_first, operator=name, wrapped_number=True, **facts,
        other=lambda grad, self, other: _over(slope(other), times(grad, self)),
    )(of_number)  # fmt: skip
    by_number: Any = op(
        f"{node}2", name=name, promote="self", to_float=True,
        overload=with_second, wrapped_number=True, **facts,
        self=number_gradient,
    )(with_number)  # fmt: skip

    @composite(vmap="decompose", out=True)
    def function(input: Any, other: Any) -> Tensor:
        if is_number(other):
            return by_number(input, other)
        if is_number(input) and isinstance(other, Tensor):
            return of_a_number(input, other)
        return by_tensors(input, other)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


xlogy = _product_with_log(
    "xlogy",
    "XlogyBackward",
    np.log,
    0.0,
    lambda other: other,
    "self * log(other), 0 where self is 0.",
    ("Tensor", "Scalar_Self", "Scalar_Other"),
    jvp="auto_element_wise",
    vmap_inplace="fallback",
)
_xlog1py = _product_with_log(
    "special_xlog1py", "SpecialXlog1PyBackward", np.log1p, -1.0, lambda other: plus(other, 1),
    "self * log1p(other), 0 where self is 0.", ("default", "self_scalar", "other_scalar"),
)  # fmt: skip


@composite(variants="function, method", vmap_inplace="fallback")
def xlogy_(self: Tensor, other: Any) -> Tensor:
    """xlogy, in place."""
    return run_inplace(ROWS["xlogy" if is_number(other) else "xlogy_tensors"], [self, other])


def _next_zeta(self: Any, other: Any) -> Tensor:
    return _zeta(self, other)


def _zeta_kernel(self: Any, other: Any) -> Array:
    result = scipy("zeta", half=False)(self, other)
    return np.where(np.isposinf(other) & np.greater(self, 1), np.nan, result).astype(result.dtype)


@op(
    "SpecialZetaBackward0",
    name="special_zeta",
    promote="self other",
    numbers=False,
    to_float=True,
    no_complex="zeta_cpu",
    jvp="not_implemented",
    self=undefined("zeta"),
    other=lambda grad, self, other: grad * -self * _next_zeta(plus(self, 1.0), other),
)
def _zeta_of_tensors(self: Array, other: Array) -> Array:
    return _zeta_kernel(self, other)


@op(
    "SpecialZetaBackward1",
    name="special_zeta_of_number",
    promote="other",
    to_float=True,
    overload="self_scalar",
    no_complex="zeta_cpu",
    jvp="not_implemented",
    vmap_operands="tensors",
    wrapped_number=True,
    operator="special_zeta",
    other=lambda grad, self, other: times(grad, -self) * _next_zeta(self + 1.0, other),
)
def _zeta_of_number(self: Any, other: Array) -> Array:
    return _zeta_kernel(self, other)


@op(
    "SpecialZetaBackward2",
    name="special_zeta_with_number",
    promote="self",
    to_float=True,
    overload="other_scalar",
    no_complex="zeta_cpu",
    jvp="not_implemented",
    wrapped_number=True,
    operator="special_zeta",
    self=undefined("zeta"),
)
def _zeta_with_number(self: Array, other: Any) -> Array:
    return _zeta_kernel(self, other)


@composite(vmap="decompose", out=True)
def _zeta(input: Any, other: Any) -> Tensor:
    if is_number(other):
        return _zeta_with_number(input, other)
    return (_zeta_of_number if is_number(input) else _zeta_of_tensors)(input, other)


# sinc and logit -----------------------------------------------------------------------------------


def _sinc_backward(grad: Tensor, self: Tensor) -> Tensor:
    self_pi = times(self, math.pi)
    squared = times(self * self, math.pi)
    sine = self_pi.sin()  # see Note [Right operands first]
    out = grad * ((self_pi * self_pi.cos() - sine) / squared)
    return where(squared == 0.0, scalar_tensor(0.0, dtype=grad.dtype), out)


@op(
    "SincBackward0",
    promote="self",
    to_float=True,
    complex="holomorphic",
    jvp="auto_element_wise",
    inplace="function, method",
    self=_sinc_backward,
)
def sinc(self: Array) -> Array:
    """sin(pi * self) / (pi * self), 1 at 0."""
    product = half_up(self) * np.float32(math.pi) if self.dtype.itemsize < 8 else self * math.pi
    return np.where(self == 0, 1, np.sin(product) / product).astype(self.dtype)


def _outside(eps: Any) -> tuple[float, float, float]:
    """The bounds within which logit is differentiable, and the factor of the gradient outside them."""
    return (0.0, 1.0, math.nan) if eps is None else (eps, 1.0 - eps, 0.0)


@op(name="logit_backward", tensors="grad_output self", jvp="not_differentiable")
def _logit_slope(grad_output: Array, self: Array, eps: Any = None) -> Array:
    low, high, outside = _outside(eps)
    result = grad_output / (self * (1 - self))
    result = np.where((self < low) | (self > high), self.dtype.type(outside), result)
    return laid_out(result.astype(self.dtype, copy=False), grad_output, self)


def _logit_backward(grad: Tensor, self: Tensor, eps: Any) -> Tensor:
    if not state.recording:
        return _logit_slope(grad, self, eps)
    low, high, outside = _outside(eps)
    inside = (self >= low).logical_and(self <= high)
    result = grad / (self * less_than(1.0, self))
    return where(inside, result, scalar_tensor(outside, dtype=self.dtype))


@op(
    "LogitBackward0",
    promote="self",
    to_float=True,
    no_complex="logit_cpu",
    jvp="auto_element_wise",
    inplace="function, method",
    self=_logit_backward,
)
def logit(self: Array, eps: Any = None) -> Array:
    """log(self / (1 - self)), with self clamped to [eps, 1 - eps] if eps is given."""
    if eps is not None:
        low, high = self.dtype.type(eps), self.dtype.type(1 - eps)
        self = np.where(self < low, low, np.where(self > high, high, self))
    return np.log(self / (1 - self))


# torch.special ------------------------------------------------------------------------------------


@composite(vmap="decompose", out=True)
def _round(input: Tensor, *, decimals: int = 0) -> Tensor:
    return round_to(input, decimals=decimals)


SPECIAL: dict[str, Callable[..., Any]] = {
    "erf": erf, "erfc": erfc, "erfinv": erfinv, "erfcx": _erfcx, "ndtr": _ndtr, "ndtri": _ndtri,
    "log_ndtr": _log_ndtr, "entr": _entr, "gammaln": lgamma, "digamma": digamma, "psi": digamma,
    "polygamma": polygamma, "multigammaln": mvlgamma, "gammainc": igamma, "gammaincc": igammac, "i0": i0,
    "i0e": _i0e, "i1": _i1, "i1e": _i1e, "xlogy": xlogy, "xlog1py": _xlog1py, "zeta": _zeta, "sinc": sinc,
    "logit": logit, "exp2": exp2, "expm1": expm1, "expit": sigmoid, "log1p": log1p, "round": _round, "softmax": softmax,
    "log_softmax": log_softmax,
}  # fmt: skip
