"""The margin loss of several right classes (torch: native/LossMultiLabelMargin.cpp)."""

from __future__ import annotations

import numpy as np

from ..._autograd.undefined_gradient import unsupported
from ..._c10.dtypes import FULL_PRECISION
from ..._c10.errors import need_fitting, unimplemented
from ..registry import Array, op
from .losses import MEAN, NONE, reduced


def _check(self: Array, target: Array) -> None:
    fits = self.ndim <= 2 and self.size == target.size
    fits = fits and (target.shape == self.shape or (self.ndim < 2 and target.ndim < 2))
    if self.dtype not in FULL_PRECISION:
        raise unimplemented("multilabel_margin_loss_forward_out_frame", self.dtype)
    fits = fits and target.dtype == np.int64
    classes = self.shape[-1] if self.ndim else 1
    need_fitting(fits and not np.any((target < -1) | (target >= classes)), "multilabel_margin_loss")


def _rows(array: Array) -> Array:
    return array.reshape(-1, array.shape[-1] if array.ndim else 1)


@op(
    "MultilabelMarginLossBackward0",
    name="multilabel_margin_loss_forward",
    vmap="fallback",
    tensors="target",
    outputs="output is_target",
    constants="is_target",
    jvp="not_implemented",
    autocast="fp32",
    self=lambda grads, self, target, reduction, is_target: multilabel_margin_loss_backward(
        grads[0], self, target, reduction, is_target
    ),
)
def multilabel_margin_loss(self: Array, target: Array, reduction: int) -> tuple[Array, Array]:
    """The sum of margin violations divided by the number of classes, and is_target; a row's targets end at -1."""
    _check(self, target)
    given = _rows(target)
    named = np.logical_and.accumulate(given >= 0, 1)
    right = np.zeros(given.shape, self.dtype)
    rows = np.broadcast_to(np.arange(len(given))[:, None], given.shape)
    right[rows[named], given[named]] = 1
    gaps = _gaps(self, target, right)
    each = (np.where(gaps > 0, gaps, 0).sum((1, 2)) / given.shape[-1]).astype(self.dtype)
    result = reduced(each, reduction) if reduction != NONE else each.reshape(self.shape[:-1])
    return np.asarray(result), right.reshape(self.shape)


def _gaps(self: Array, target: Array, right: Array) -> Array:
    """1 - (target's score - class's score) for each target and class; -inf for pairs that are not compared."""
    scores, given = _rows(self), _rows(target)
    named = np.logical_and.accumulate(given >= 0, 1)
    own = np.take_along_axis(scores, np.where(named, given, 0), 1)
    counts = named[:, :, None] & (_rows(right) == 0)[:, None, :]
    result: Array = np.where(counts, 1 - (own[:, :, None] - scores[:, None, :]), -np.inf)
    return result


@op(
    "NotImplemented",
    tensors="target is_target",
    vmap="fallback",
    grad_output=unsupported("multilabel_margin_loss_backward"),
    self=unsupported("multilabel_margin_loss_backward"),
)
def multilabel_margin_loss_backward(
    grad_output: Array, self: Array, target: Array, reduction: int, is_target: Array
) -> Array:
    """The gradient of multilabel_margin_loss."""
    scores, given = _rows(self), _rows(target)
    wrong = _gaps(self, target, is_target) > 0
    result = wrong.sum(1).astype(self.dtype)
    rows = np.broadcast_to(np.arange(len(given))[:, None], given.shape)
    np.subtract.at(result, (rows, given), wrong.sum(2))  # of -1, no target, nothing is wrong
    result /= scores.shape[1] * (len(scores) if reduction == MEAN else 1)
    outer = grad_output.ravel()[:, None] if reduction == NONE else grad_output
    return (result * outer).reshape(self.shape).astype(self.dtype)
