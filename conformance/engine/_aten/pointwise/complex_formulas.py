"""Formulas for complex inputs where torch conjugates a whole factor.

By Note [Complex gradients] it would be enough to conjugate the saved variables; but then the graph of the gradient
differs from torch's. Each formula replaces that of the same operator and input.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.dtypes import BY_NUMPY, result_dtype
from ..blas.bmm import spread_over_batch
from ..complex_gradients import conjugate
from ..creation.factories import scalar_tensor, zeros_like
from ..reduction.sum_mean_prod import _prod_backward, _prod_dim_backward, unsqueeze_multiple
from ..registry import ROWS
from ..scalar_operands import less_than, maybe_times, minus, plus, times
from .binary import _addcdiv_factor, _quotient_of
from .power import half_opposed
from .unary import _atanh_backward
from .where_clamp import where

FORMULAS: dict[
    tuple[str, str], Callable[..., Any]
] = {}  # by operator and input; saved variables are not conjugated


def complex_formula(row: str, input: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the formula for complex numbers of an operator's input, where torch conjugates a whole factor."""

    def declare(formula: Callable[..., Any]) -> Callable[..., Any]:
        FORMULAS[row, input] = formula
        return formula

    return declare


def _mat1_grad(grad: Tensor, mat2: Tensor, shape: Any, steps: Any, alpha: Any = 1) -> Tensor:
    by_columns = tuple(steps) == (1, shape[0])
    result = mat2.conj().mm(grad.t()).t() if by_columns else grad.mm(mat2.t().conj())
    return maybe_times(result, conjugate(alpha))


def _mat2_grad(grad: Tensor, mat1: Tensor, shape: Any, steps: Any, alpha: Any = 1) -> Tensor:
    by_columns = tuple(steps) == (1, shape[0])
    result = grad.t().mm(mat1.conj()).t() if by_columns else mat1.t().conj().mm(grad)
    return maybe_times(result, conjugate(alpha))


def _base_grad(grad: Tensor, self: Tensor, exponent: Tensor) -> Tensor:
    zero = scalar_tensor(0, dtype=grad.dtype)
    return where(exponent == 0.0, zero, grad * (exponent * self.pow(minus(exponent, 1))).conj())


def _is_positive(exponent: Tensor) -> Tensor:
    if exponent._array.dtype.kind != "c":
        return exponent >= 0
    return (exponent.imag == 0).logical_and(exponent.real >= 0)


def _exponent_grad(grad: Tensor, self: Tensor, exponent: Tensor, result: Tensor) -> Tensor:
    base = self.to(BY_NUMPY[result_dtype(self._array, exponent._array)])
    vanishes = (base == 0).logical_and(_is_positive(exponent))
    return grad * where(vanishes, scalar_tensor(0, dtype=grad.dtype), (result * base.log()).conj())


def _exponent_of_number_grad(grad: Tensor, base: Any, exponent: Tensor, result: Tensor) -> Tensor:
    if base == 0:
        zero = scalar_tensor(0, dtype=grad.dtype)
        return grad * where(_is_positive(exponent), zero, times(result, complex("-inf")).conj())
    return grad * times(result, cmath.log(base)).conj()


def _power_grad(grad: Tensor, self: Tensor, exponent: Any) -> Tensor:
    if exponent == 0:
        return zeros_like(self)
    power = exponent if isinstance(exponent, complex) else float(exponent)
    return grad * times(self.pow(power - 1), power).conj()


def _sinc_grad(grad: Tensor, self: Tensor) -> Tensor:
    self_pi = times(self, math.pi)
    squared = times(self * self, math.pi)
    sine = self_pi.sin()  # see Note [Right operands first]
    result = grad * ((self_pi * self_pi.cos() - sine) / squared).conj()
    return where(squared == 0.0, scalar_tensor(0.0, dtype=grad.dtype), result)


def _prod_grad(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    if self._array.ndim and self._array.all():
        return grad * (result / self).conj()
    return _prod_backward(grad, self, result)


def _prod_dim_grad(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    if not self._array.ndim or not self._array.all():
        return _prod_dim_backward(grad, self, result, dim, keepdim)
    if not keepdim:
        grad, result = grad.unsqueeze(dim), result.unsqueeze(dim)
    return grad * (result / self).conj()


def _logsumexp_grad(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    if not keepdim and self._array.ndim:
        grad = unsqueeze_multiple(grad, dim, self._array.ndim)
        result = unsqueeze_multiple(result, dim, self._array.ndim)
    return grad * (self - result).exp().conj()


def _opposed(factor: Tensor, grad: Tensor) -> Tensor:
    """-grad * factor, evaluating the factor first: see Note [Right operands first]."""
    return -grad * factor


def _acosh_slope(self: Tensor) -> Tensor:
    right = minus(self, 1).rsqrt()  # see Note [Right operands first]
    return plus(self, 1).rsqrt() * right


def _conjugated_times(factor: Tensor, grad: Tensor, other: Tensor | None = None) -> Tensor:
    """grad.conj() * other * factor, evaluating the factor first."""
    result = grad.conj()
    return (result if other is None else result * other) * factor


complex_formula("div", "other")(lambda grad, self, other: _opposed(((self / other) / other).conj(), grad))
complex_formula("pow", "self")(_power_grad)
complex_formula("pow_tensor", "self")(_base_grad)
complex_formula("pow_tensor", "exponent")(_exponent_grad)
complex_formula("pow_of_number", "exponent")(
    lambda grad, self, exponent, result: _exponent_of_number_grad(grad, self, exponent, result)
)
complex_formula("rsqrt", "self")(lambda grad, result: half_opposed(result.pow(3).conj(), grad))
complex_formula("reciprocal", "self")(lambda grad, result: _opposed((result * result).conj(), grad))
complex_formula("log1p", "self")(lambda grad, self: grad / plus(self, 1).conj())
complex_formula("sin", "self")(lambda grad, self: grad * self.cos().conj())
complex_formula("cos", "self")(lambda grad, self: grad * -self.sin().conj())
complex_formula("tan", "self")(lambda grad, result: grad * plus(result.pow(2), 1).conj())
complex_formula("asin", "self")(lambda grad, self: grad * plus(-self * self, 1).rsqrt().conj())
complex_formula("acos", "self")(lambda grad, self: grad * -(plus(-self * self, 1).rsqrt().conj()))
complex_formula("atan", "self")(lambda grad, self: grad / plus(self * self, 1).conj())
complex_formula("sinh", "self")(lambda grad, self: grad * self.cosh().conj())
complex_formula("cosh", "self")(lambda grad, self: grad * self.sinh().conj())
complex_formula("asinh", "self")(lambda grad, self: grad * plus(self.pow(2), 1).rsqrt().conj())
complex_formula("acosh", "self")(lambda grad, self: grad * _acosh_slope(self).conj())
complex_formula("sinc", "self")(lambda grad, self: _sinc_grad(grad, self))
complex_formula("tanh", "self")(lambda grad, result: ROWS["tanh_backward"].call(grad, result))
complex_formula("tanh_backward", "grad_output")(
    lambda grad, output: ROWS["tanh_backward"].call(grad, output.conj())
)
complex_formula("tanh_backward", "output")(
    lambda grad, grad_output, output: _conjugated_times(times(output.conj(), -2) * grad_output, grad)
)
complex_formula("sigmoid", "self")(lambda grad, result: ROWS["sigmoid_backward"].call(grad, result))
complex_formula("sigmoid_backward", "grad_output")(
    lambda grad, output: ROWS["sigmoid_backward"].call(grad, output.conj())
)
complex_formula("sigmoid_backward", "output")(
    lambda grad, grad_output, output: _conjugated_times(plus(times(output.conj(), -2), 1), grad, grad_output)
)
complex_formula("prod", "self")(lambda grad, self, result: _prod_grad(grad, self.to(grad.dtype), result))
complex_formula("prod_dim", "self")(
    lambda grad, self, result, dim, keepdim: _prod_dim_grad(grad, self.to(grad.dtype), result, dim, keepdim)
)
complex_formula("addcdiv", "tensor1")(lambda grad, tensor2, value: grad * _quotient_of(value, tensor2).conj())
complex_formula("addcdiv", "tensor2")(
    lambda grad, tensor1, tensor2, value: _opposed(_addcdiv_factor(tensor1, tensor2, value).conj(), grad)
)
complex_formula("lerp_tensor", "self")(lambda grad, weight: grad * less_than(1, weight).conj())
complex_formula("lerp_tensor", "weight")(lambda grad, self, end: grad * (end - self).conj())
complex_formula("ldexp", "self")(lambda grad, other: grad * other.__rpow__(2).conj())
complex_formula("ldexp", "other")(lambda grad, result: times(grad * result.conj(), math.log(2)))
complex_formula("logaddexp", "self")(lambda grad, self, other: grad / plus((other - self).exp(), 1).conj())
complex_formula("logaddexp", "other")(lambda grad, self, other: grad / plus((self - other).exp(), 1).conj())
complex_formula("logsumexp", "self")(
    lambda grad, self, result, dim, keepdim: _logsumexp_grad(grad, self, result, dim, keepdim)
)
complex_formula("addr", "vec2")(
    lambda grad, vec1, alpha: maybe_times(grad.t().mv(vec1.conj()), conjugate(alpha))
)
complex_formula("addmv", "vec")(
    lambda grad, mat, alpha: maybe_times(mat.t().conj().mv(grad), conjugate(alpha))
)
complex_formula("atanh", "self")(lambda grad, self: _atanh_backward(less_than(1, self.pow(2)).conj(), grad))
complex_formula("addcmul", "tensor1")(lambda grad, tensor2, value: grad * times(tensor2, value).conj())
complex_formula("addcmul", "tensor2")(lambda grad, tensor1, value: grad * times(tensor1, value).conj())
complex_formula("mm", "self")(
    lambda grad, mat2, self_sym_sizes, self_sym_strides: _mat1_grad(
        grad, mat2, self_sym_sizes, self_sym_strides
    )
)
complex_formula("mm", "mat2")(
    lambda grad, self, mat2_sym_sizes, mat2_sym_strides: _mat2_grad(
        grad, self, mat2_sym_sizes, mat2_sym_strides
    )
)
complex_formula("addmm", "mat1")(
    lambda grad, mat2, mat1_sym_sizes, mat1_sym_strides, alpha: _mat1_grad(
        grad, mat2, mat1_sym_sizes, mat1_sym_strides, alpha
    )
)
complex_formula("addmm", "mat2")(
    lambda grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha: _mat2_grad(
        grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha
    )
)
complex_formula("bmm", "self")(lambda grad, mat2: grad.bmm(mat2.transpose(1, 2).conj()))
complex_formula("bmm", "mat2")(lambda grad, self: self.transpose(1, 2).conj().bmm(grad))
complex_formula("addbmm", "batch1")(
    lambda grad, batch2, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2, alpha: maybe_times(
        spread_over_batch(grad, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2).bmm(
            batch2.transpose(1, 2).conj()
        ),
        conjugate(alpha),
    )
)
complex_formula("addbmm", "batch2")(
    lambda grad, batch1, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2, alpha: maybe_times(
        batch1.transpose(1, 2)
        .conj()
        .bmm(spread_over_batch(grad, batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2)),
        conjugate(alpha),
    )
)
complex_formula("baddbmm", "batch1")(
    lambda grad, batch2, alpha: maybe_times(grad.bmm(batch2.transpose(1, 2).conj()), conjugate(alpha))
)
complex_formula("baddbmm", "batch2")(
    lambda grad, batch1, alpha: maybe_times(batch1.transpose(1, 2).conj().bmm(grad), conjugate(alpha))
)


def formula_of(name: str, key: str) -> Any:
    """The formula of an operator's input for complex numbers; None where it has no separate one."""
    return FORMULAS.get((name, key))
