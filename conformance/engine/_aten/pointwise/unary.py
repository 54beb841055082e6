"""Unary operators: exponentials, logarithms, trigonometric and hyperbolic functions, signs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._autograd.undefined_gradient import undefined
from ..._c10.modes import state
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import laid_out, like_steps
from ..._c10.zero_tensor import zeros
from ..creation.factories import zeros_like
from ..inplace import check_inplace, run_inplace
from ..kernels import half_up, refuse_bools
from ..registry import ROWS, Array, op
from ..scalar_operands import less_than, minus, plus, times

LN2, HALF_PI = math.log(2), math.pi / 2
LN10 = 2.3025850929940455  # torch's constant, one unit in the last place below the nearest double


def _float(
    node: str, function: Any, gradient: Callable[..., Tensor], text: str, name: str = "", **facts: Any
) -> Any:
    """Register an operator for a numpy function; integer inputs are promoted to the default dtype."""

    def forward(self: Array) -> Array:
        return function(self)

    forward.__name__ = name or node.removesuffix("Backward0").lower()
    forward.__doc__ = text
    return op(
        node,
        promote="self",
        to_float=True,
        complex="holomorphic",
        jvp="auto_element_wise",
        inplace="function, method",
        self=gradient,
        **facts,
    )(forward)


# Exponentials and logarithms ----------------------------------------------------------------------

exp = _float(
    "ExpBackward0",
    np.exp,
    lambda grad, result: grad * result,
    "e to the power of self.",
    undefined_argument=(1, "other"),
)
exp2 = _float(
    "Exp2Backward0",
    np.exp2,
    lambda grad, result: times(grad * result, LN2),
    "2 to the power of self.",
    undefined_argument=(1, "other"),
)
expm1 = _float(
    "Expm1Backward0",
    np.expm1,
    lambda grad, result: grad * plus(result, 1),
    "exp(self) - 1.",
    undefined_argument=(0, "self"),
)
log = _float("LogBackward0", np.log, lambda grad, self: grad.div(self), "The natural logarithm.")
log2 = _float(
    "Log2Backward0", np.log2, lambda grad, self: grad / times(self, LN2), "The logarithm to the base 2."
)
log10 = _float(
    "Log10Backward0", np.log10, lambda grad, self: grad / times(self, LN10), "The logarithm to the base 10."
)
log1p = _float("Log1PBackward0", np.log1p, lambda grad, self: grad / plus(self, 1), "log(1 + self).")


# Trigonometry -------------------------------------------------------------------------------------

sin = _float("SinBackward0", np.sin, lambda grad, self: grad * self.cos(), "The sine.")
cos = _float("CosBackward0", np.cos, lambda grad, self: grad * -self.sin(), "The cosine.")
tan = _float(
    "TanBackward0",
    np.tan,
    lambda grad, result: grad * plus(result.pow(2), 1),
    "The tangent.",
    undefined_argument=(0, "self"),
)
asin = _float(
    "AsinBackward0",
    np.arcsin,
    lambda grad, self: grad * plus(-self * self, 1).rsqrt(),
    "The inverse of the sine.",
)
acos = _float(
    "AcosBackward0",
    np.arccos,
    lambda grad, self: grad * -(plus(-self * self, 1).rsqrt()),
    "The inverse of the cosine.",
)
atan = _float(
    "AtanBackward0", np.arctan, lambda grad, self: grad / plus(self * self, 1), "The inverse of the tangent."
)
arcsin, arccos, arctan = asin, acos, atan


# Hyperbolics --------------------------------------------------------------------------------------

sinh = _float("SinhBackward0", np.sinh, lambda grad, self: grad * self.cosh(), "The hyperbolic sine.")
cosh = _float("CoshBackward0", np.cosh, lambda grad, self: grad * self.sinh(), "The hyperbolic cosine.")
tanh = _float(
    "TanhBackward0",
    np.tanh,
    lambda grad, result: _tanh_backward(grad, result),
    "The hyperbolic tangent.",
    undefined_argument=(1, "output"),
)
asinh = _float(
    "AsinhBackward0",
    np.arcsinh,
    lambda grad, self: grad * plus(self.pow(2), 1).rsqrt(),
    "The inverse of sinh.",
)
acosh = _float(
    "AcoshBackward0",
    np.arccosh,
    lambda grad, self: grad * minus(self * self, 1).rsqrt(),
    "The inverse of cosh.",
)


def _atanh_backward(slope: Tensor, grad: Tensor) -> Tensor:
    return times(grad, 1) / slope  # the slope is evaluated first: see Note [Right operands first]


atanh = _float(
    "AtanhBackward0",
    np.arctanh,
    lambda grad, self: _atanh_backward(less_than(1, self.pow(2)), grad),
    "The inverse of tanh.",
)
arcsinh, arccosh, arctanh = asinh, acosh, atanh


@op(
    "TanhBackwardBackward0",
    name="tanh_backward",
    complex="holomorphic",
    vmap="element_by_element",
    grad_output=lambda grad, output: _tanh_backward(grad, output),
    output=lambda grad, grad_output, output: grad * (times(output, -2) * grad_output),
)
def _tanh_backward(grad_output: Array, output: Array) -> Array:
    one = half_up(output)
    if output.dtype.kind == "c":
        return laid_out(grad_output * np.conjugate(1 - one * one), grad_output, output)
    result = (half_up(grad_output) * (1 - one * one)).astype(output.dtype, copy=False)
    return laid_out(result, grad_output, output)


@op(
    "SigmoidBackward0",
    promote="self",
    to_float=True,
    complex="holomorphic",
    jvp="auto_element_wise",
    undefined_argument=(1, "output"),
    inplace="function, method",
    self=lambda grad, result: _sigmoid_backward(grad, result),
)
def sigmoid(self: Array) -> Array:
    """1 / (1 + exp(-self))."""
    return np.reciprocal(np.exp(np.negative(half_up(self))) + 1).astype(self.dtype, copy=False)


def _sigmoid_output_backward(grad: Tensor, grad_output: Tensor, output: Tensor) -> Tensor:
    factor = plus(times(output, -2), 1)  # see Note [Right operands first]
    return grad * grad_output * factor


@op(
    "SigmoidBackwardBackward0",
    name="sigmoid_backward",
    complex="holomorphic",
    vmap="element_by_element",
    grad_output=lambda grad, output: _sigmoid_backward(grad, output),
    output=_sigmoid_output_backward,
)
def _sigmoid_backward(grad_output: Array, output: Array) -> Array:
    if output.dtype.kind == "c":
        result = grad_output * np.conjugate((1 - output) * output)
    else:
        wide = half_up(output)
        result = (half_up(grad_output) * (1 - wide) * wide).astype(output.dtype, copy=False)
    return laid_out(result, grad_output, output)


def _overwritten(function: str) -> Any:
    """Register the in-place form, as an operator with its own node and without a formula for the derivative."""

    def forward(self: Array) -> Array:
        return ROWS[function].forward(self)

    node = f"{function.capitalize()}Backward1"
    return op(
        node,
        name=f"{function}_",
        promote="self",
        to_float=True,
        complex="holomorphic",
        jvp="not_implemented",
        inplace="function, method",
        self=undefined(f"inplace version of {function}"),
    )(forward)


for _name in ("acosh", "asinh", "atanh"):
    _overwritten(_name)


# Signs --------------------------------------------------------------------------------------------


@op(
    "AbsBackward0",
    promote="self",
    complex="as_written",
    jvp="auto_element_wise",
    kernel_writes=1,
    inplace="method",
    out=Out(contiguous="of_complex"),
    self=lambda grad, self: grad * self.sgn(),
)
def abs(self: Array) -> Array:
    """The absolute value; its gradient at 0 is 0."""
    refuse_bools("abs_cpu", self)
    return np.abs(self) if self.dtype.kind != "c" else like_steps(np.abs(self), self)


absolute = abs


@composite(variants="function, method", vmap="decompose")
def abs_(self: Tensor) -> Tensor:
    """abs, in place; an error for complex tensors."""
    if self._array.dtype.kind == "c":
        check_inplace(self, bool(state.recording and self.requires_grad))
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return run_inplace(ROWS["abs"], [self])


@op(
    "SignBackward0",
    promote="self",
    jvp="auto_element_wise",
    inplace="method",
    self=lambda grad: zeros_like(grad),
)
def sign(self: Array) -> Array:
    """-1, 0 or 1; 0 for nan."""
    return _sign(self)


def _sgn_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    if self._array.dtype.kind != "c":
        return make(zeros(grad._array.shape, grad._array.dtype))
    size = self.abs()
    double, conjugate = times(size, 2.0), grad.conj()  # see Note [Right operands first]
    return ((grad - result * result * conjugate) / double).masked_fill_(size == 0.0, 0.0)


@op(
    "SgnBackward0",
    promote="self",
    complex="as_written",
    tangent_writes=1,
    inplace="method",
    self=_sgn_backward,
)
def sgn(self: Array) -> Array:
    """-1, 0 or 1; for a complex number, self / abs(self)."""
    if self.dtype.kind != "c":
        return _sign(self)
    size = np.abs(self)
    return np.where(size == 0, self.dtype.type(0), np.true_divide(self, size))


def _sign(array: Array) -> Array:
    if array.dtype.kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
        )
    if array.dtype.kind == "b":
        return array.copy()
    return np.subtract(np.greater(array, 0), np.less(array, 0), dtype=array.dtype)


@op(
    promote="self",
    no_complex=NotImplementedError("signbit is not implemented for complex tensors."),
)
def signbit(self: Array) -> Array:
    """Whether the sign is negative, -0.0 included."""
    return np.signbit(self) if self.dtype.kind in "fV" else np.less(self, 0)
