"""Losses that torch computes in one kernel, with their own backward nodes (torch: native/Loss.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.inplace_checks import check_castable
from ..._autograd.tensor import Tensor, make
from ..._autograd.undefined_gradient import unsupported
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.shapes import laid_out
from ..kernels import chosen, half_up, need_floats, refuse_bool_negation, updated
from ..registry import Array, op
from ..scalar_operands import over, over_, plus, times

PUBLIC = ()

NONE, MEAN, SUM = 0, 1, 2  # at::Reduction


def reduced(each: Array, reduction: int) -> Array:
    """All values, their mean or their sum; halves are summed in single precision."""
    if reduction == NONE:
        return each
    total = np.add.reduce(each, axis=None, dtype=np.promote_types(each.dtype, np.float32))
    if reduction == MEAN:
        total = np.true_divide(total, each.size, dtype=total.dtype)
    return np.asarray(total, each.dtype)


def _norm(array: Array, reduction: int) -> float:
    return 1.0 / array.size if reduction == MEAN and array.size else 1.0


def _share(each: Tensor, reduction: int) -> Tensor:
    """Divide by the number of elements if the reduction is the mean."""
    return over_(each, each._array.size) if reduction == MEAN else each


# Squares ------------------------------------------------------------------------------------------


@op(
    "MseLossBackward0",
    promote="self target",
    no_complex="mse_cpu",
    tangent_writes="reduced",
    autocast="fp32",
    self=lambda grad, self, target, reduction: mse_loss_backward(grad, self, target, reduction),
    target=lambda grad, self, target, reduction: mse_loss_backward(grad, target, self, reduction),
)
def mse_loss(self: Array, target: Array, reduction: int = MEAN) -> Array:
    """The square of the difference."""
    need_floats("mse_cpu", self)
    difference = self - target
    return reduced(difference * difference, reduction)


@op(
    "MseLossBackwardBackward0",
    grad_output=lambda grad, self, target, reduction: mse_loss_backward(grad, self, target, reduction),
    self=lambda grad, grad_output, self, reduction: _mse_twice(grad * grad_output, self, reduction),
    target=lambda grad, grad_output, target, reduction: -_mse_twice(grad * grad_output, target, reduction),
)
def mse_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    """The gradient of mse_loss."""
    norm = self.dtype.type(2.0 * _norm(self, reduction))
    return ((self - target) * norm * grad_output).astype(self.dtype, order="C", copy=False)


def _mse_twice(grad: Tensor, self: Tensor, reduction: int) -> Tensor:
    result = times(grad, 2)
    return _share(result, reduction)


# Quadratic near 0, linear elsewhere ---------------------------------------------------------------


@op(
    "SmoothL1LossBackward0",
    promote="self target",
    no_complex="smooth_l1_cpu",
    tangent_writes="reduced",
    autocast="fp32",
    self=lambda grad, self, target, reduction, beta: smooth_l1_loss_backward(
        grad, self, target, reduction, beta
    ),
    target=lambda grad, self, target, reduction, beta: smooth_l1_loss_backward(
        grad, target, self, reduction, beta
    ),
)
def smooth_l1_loss(self: Array, target: Array, reduction: int = MEAN, beta: float = 1.0) -> Array:
    """The absolute difference; quadratic where it is below beta."""
    need_floats("smooth_l1_cpu", self)
    z = np.abs(half_up(self) - half_up(target))
    each = chosen(z < beta, z * 0.5 * z / beta, z - 0.5 * beta)
    return reduced(each.astype(self.dtype, copy=False), reduction)


@op(
    "SmoothL1LossBackwardBackward0",
    grad_output=lambda grad, self, target, reduction, beta: smooth_l1_loss_backward(
        grad, self, target, reduction, beta
    ),
    self=lambda grad, grad_output, self, target, reduction, beta: _smooth_l1_twice(
        grad * grad_output, self, target, reduction, beta
    ),
    target=lambda grad, grad_output, self, target, reduction, beta: (
        -_smooth_l1_twice(grad * grad_output, self, target, reduction, beta)
    ),
)
def smooth_l1_loss_backward(
    grad_output: Array, self: Array, target: Array, reduction: int, beta: float
) -> Array:
    """The gradient of smooth_l1_loss."""
    x, grad = half_up(self) - half_up(target), half_up(grad_output)
    norm = x.dtype.type(_norm(self, reduction))
    slope = chosen(x <= -beta, -norm * grad, chosen(x >= beta, norm * grad, norm * x * grad / beta))
    return slope.astype(self.dtype, order="C", copy=False)


def _smooth_l1_twice(grad: Tensor, self: Tensor, target: Tensor, reduction: int, beta: float) -> Tensor:
    within = ((self - target).abs() < beta).to(grad.dtype)
    return _share(over(grad * within, beta), reduction)


@op(
    "HuberLossBackward0",
    no_complex="huber_cpu",
    tangent_writes=0,
    autocast="fp32",
    self=lambda grad, self, target, reduction, delta: huber_loss_backward(
        grad, self, target, reduction, delta
    ),
    target=lambda grad, self, target, reduction, delta: huber_loss_backward(
        grad, target, self, reduction, delta
    ),
)
def huber_loss(self: Array, target: Array, reduction: int = MEAN, delta: float = 1.0) -> Array:
    """delta times the absolute difference; quadratic where that difference is below delta."""
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    common = dtypes.result_dtype(self, target)
    check_castable(common, self.dtype)
    need_floats("huber_cpu", np.empty(0, common))
    first, second = self.astype(common, copy=False), target.astype(common, copy=False)
    z = np.abs(half_up(first) - half_up(second))
    half = z.dtype.type(0.5)
    result = chosen(z < delta, half * z * z, delta * (z - half * delta))
    return reduced(laid_out(result.astype(self.dtype, copy=False), self, target), reduction)


def _huber_grad_output(
    grad: Tensor, grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float
) -> Tensor:
    if reduction == NONE:
        return huber_loss_backward(grad, self, target, reduction, delta)
    ones = make(np.ones_like(grad_output._array))
    return (huber_loss_backward(ones, self, target, reduction, delta) * grad).sum()


@op(
    "HuberLossBackwardBackward0",
    jvp="not_implemented",
    grad_output=_huber_grad_output,
    self=lambda grad, grad_output, self, target, reduction, delta: _huber_twice(
        grad * grad_output, self, target, reduction, delta
    ),
    target=lambda grad, grad_output, self, target, reduction, delta: (
        -_huber_twice(grad * grad_output, self, target, reduction, delta)
    ),
)
def huber_loss_backward(
    grad_output: Array, self: Array, target: Array, reduction: int, delta: float
) -> Array:
    """The gradient of huber_loss."""
    norm = _norm(self, reduction)
    x = half_up(self) - half_up(target)
    need_fitting(target.dtype == self.dtype, "huber_loss_backward")
    slope = norm * np.minimum(np.maximum(x, -delta), delta)
    return (slope * half_up(grad_output)).astype(self.dtype, order="C", copy=False)


def _huber_twice(grad: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float) -> Tensor:
    return _share(grad * ((self - target).abs() < delta), reduction)


# Logistic -----------------------------------------------------------------------------------------


@op(
    "SoftMarginLossBackward0",
    tensors="target",
    tangent_writes="reduced",
    autocast="fp32",
    vmap="fallback",
    refuses_index_grad=True,
    self=lambda grad, self, target, reduction: soft_margin_loss_backward(grad, self, target, reduction),
)
def soft_margin_loss(self: Array, target: Array, reduction: int = MEAN) -> Array:
    """log(1 + exp(-target * self))."""
    refuse_bool_negation(self)
    product = updated(np.multiply, np.negative(self), target)
    check_castable(dtypes.default.numpy, product.dtype)
    return reduced(laid_out(np.log1p(np.exp(product)), self), reduction)


def _soft_margin_grad_output(
    grad: Tensor, grad_output: Tensor, self: Tensor, target: Tensor, reduction: int
) -> Tensor:
    if reduction == NONE:
        return soft_margin_loss_backward(grad, self, target, reduction)
    ones = make(np.ones_like(grad_output._array))
    return (soft_margin_loss_backward(ones, self, target, reduction) * grad).sum()


@op(
    "SoftMarginLossBackwardBackward0",
    tensors="target",
    jvp="not_implemented",
    vmap="fallback",
    refuses_index_grad=True,
    grad_output=_soft_margin_grad_output,
    self=lambda grad, grad_output, self, target, reduction: _soft_margin_twice(
        grad * grad_output, self, target, reduction
    ),
)
def soft_margin_loss_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    """The gradient of soft_margin_loss."""
    refuse_bool_negation(target)
    common = dtypes.result_dtype(self, target)
    z = np.exp(np.negative(target).astype(common, copy=False) * self.astype(common, copy=False))
    norm = common.type(_norm(self, reduction))
    result = np.multiply(-norm * target.astype(common, copy=False) * z / (z + 1), grad_output)
    return laid_out(result.astype(self.dtype, copy=False), target, self)


def _soft_margin_twice(grad: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
    z = (self * -target).exp()
    above = plus(z, 1)
    divisor = above * above  # see Note [Right operands first]
    return _share(grad * (target * target) * z / divisor, reduction)


# Multi-class margins: torch has no second derivative ----------------------------------------------


def _margins(self: Array, target: Array, p: int, margin: float, weight: Any) -> tuple[Array, Array, Array]:
    """Per row: the margin violations, and the weight of the row's class."""
    rows = self.reshape(-1, self.shape[-1]) if self.ndim else self.reshape(1, 1)
    classes = np.ravel(target)
    index = np.arange(len(rows))
    z = margin - rows[index, classes][:, None] + rows
    z[index, classes] = 0
    z = np.fmax(z, 0)  # nan counts as no violation
    scale = (1.0 if weight is None else weight[classes][:, None]) / np.asarray(rows.shape[1], self.dtype)
    return rows, z.astype(self.dtype), np.broadcast_to(scale, (len(rows), 1)).astype(self.dtype)


@op(
    "MultiMarginLossBackward0",
    tensors="target weight",
    jvp="not_implemented",
    autocast="fp32",
    vmap="fallback",
    self=lambda grad, self, target, p, margin, weight, reduction: multi_margin_loss_backward(
        grad, self, target, p, margin, weight, reduction
    ),
)
def multi_margin_loss(
    self: Array, target: Array, p: int = 1, margin: float = 1, weight: Any = None, reduction: int = MEAN
) -> Array:
    """The sum of max(0, margin - score[target] + score[i]) ** p over the other classes, per class."""
    fits = self.dtype in dtypes.FULL_PRECISION and target.dtype == np.int64
    need_fitting(fits and (weight is None or weight.dtype == self.dtype), "multi_margin_loss")
    margin = dtypes.number_within(self.dtype, margin)
    wrong = target[(target < 0) | (target >= (self.shape[-1] if self.ndim else 1))]
    if wrong.size:
        raise RuntimeError("target out of range")
    _, z, scale = _margins(self, target, p, margin, weight)
    each = (z**p * scale).sum(1).reshape(np.shape(target))
    return reduced(each.astype(self.dtype), reduction)


@op(
    "NotImplemented",
    tensors="target weight",
    vmap="fallback",
    grad_output=unsupported("multi_margin_loss_backward"),
    self=unsupported("multi_margin_loss_backward"),
)
def multi_margin_loss_backward(
    grad_output: Array, self: Array, target: Array, p: int, margin: float, weight: Any = None,
    reduction: int = MEAN,
) -> Array:  # fmt: skip
    """The gradient of multi_margin_loss."""
    rows, z, scale = _margins(self, target, p, margin, weight)
    slope = ((z > 0) * scale if p == 1 else 2 * z * scale).astype(self.dtype)
    classes = np.ravel(target)
    slope[np.arange(len(rows)), classes] = -slope.sum(1)
    if reduction == MEAN:
        slope /= len(rows)
    outer = grad_output.ravel()[:, None] if reduction == NONE else grad_output
    return (slope * outer).reshape(self.shape).astype(self.dtype, order="C")
