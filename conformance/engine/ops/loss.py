"""Losses: a distance of every element, then their mean, their sum or all of them (torch: native/Loss.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rows import Array, op
from ..tensor import Tensor

NONE, MEAN, SUM = 0, 1, 2  # torch's numbers for the reductions


def _reduced(each: Array, reduction: int) -> Array:
    if reduction == MEAN:
        return np.true_divide(np.add.reduce(each, axis=None), each.size, dtype=each.dtype)
    if reduction == SUM:
        return np.add.reduce(each, axis=None)
    return each


def _share(each: Tensor, reduction: int, whole: Tensor) -> Tensor:
    """What one element adds to a mean of all."""
    return each / whole._array.size if reduction == MEAN else each


@op(
    "MseLossBackward0",
    name="mse_loss",
    meet="self target",
    self=lambda grad, self, target, reduction: _mse_backward(grad, self, target, reduction),
    target=lambda grad, self, target, reduction: _mse_backward(grad, target, self, reduction),
)
def mse_loss(self: Array, target: Array, reduction: int = MEAN) -> Array:
    """The square of the difference."""
    difference = self - target
    return _reduced(difference * difference, reduction)


@op(
    "MseLossBackwardBackward0",
    name="mse_loss_backward",
    grad_output=lambda grad, self, target, reduction: _mse_backward(grad, self, target, reduction),
    self=lambda grad, grad_output, self, reduction: _share(2.0 * (grad * grad_output), reduction, self),
    target=lambda grad, grad_output, target, reduction: -_share(2.0 * (grad * grad_output), reduction, target),
)
def _mse_backward(grad_output: Array, self: Array, target: Array, reduction: int) -> Array:
    norm = 2.0 / self.size if reduction == MEAN else 2.0
    return grad_output * ((self - target) * self.dtype.type(norm))
