"""Losses on probabilities and classes: binary cross entropy, negative log likelihood (torch: native/LossNLL.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.modes import is_grad_enabled, no_grad
from ..._c10.shapes import broadcast_shapes, laid_out, like_steps
from ..creation.factories import zeros_like
from ..kernels import check_subtractable, half_up, need_floats, updated
from ..pointwise.unary import sigmoid
from ..registry import Array, OptionalArray, op
from ..scalar_operands import less_than, over, over_, plus, times
from ..type_promotion import promote_arrays
from .exp_activations import logsigmoid
from .losses import MEAN, NONE, reduced

PUBLIC = ()
_EPS = 1e-12


def _weighted(each: Tensor, weight: Tensor | None) -> Tensor:
    return each if weight is None else each * weight


def _share(each: Tensor, reduction: int, whole: Tensor) -> Tensor:
    return over(each, whole._array.size) if reduction == MEAN else each


def _weighted_(each: Tensor, weight: Tensor | None) -> Tensor:
    return each if weight is None else each.mul_(weight)


def _share_(each: Tensor, reduction: int, whole: Tensor) -> Tensor:
    return over_(each, whole._array.size) if reduction == MEAN else each


# Binary, of probabilities -------------------------------------------------------------------------


def _check_probabilities(self: Array, target: Array) -> None:
    """Raise an error for the first element outside [0, 1]; torch checks them one by one."""
    inside = (self >= 0) & (self <= 1)
    wrong = ~(inside & (target >= 0) & (target <= 1))
    if wrong.any():
        which = "target" if inside[wrong][0] else "input"
        raise RuntimeError(f"all elements of {which} should be between 0 and 1")


@op(
    "BinaryCrossEntropyBackward0",
    tensors="weight",
    autocast="fp32",
    self=lambda grad, self, target, weight, reduction: binary_cross_entropy_backward(
        grad, self, target, weight, reduction
    ),
    target=lambda grad, self, target, weight, reduction: _share_(
        _weighted_(self.logit().neg_().mul_(grad), weight), reduction, target
    ),
)
def binary_cross_entropy(self: Array, target: Array, weight: Any = None, reduction: int = MEAN) -> Array:
    """-(target * log(self) + (1 - target) * log(1 - self)), with logarithms clamped to at least -100."""
    if self.dtype != target.dtype:
        a, b = (dtypes.BY_NUMPY[each.dtype].legacy for each in (self, target))
        raise RuntimeError(f"Found dtype {b} but expected {a}")
    need_floats("binary_cross_entropy", self)
    _check_probabilities(self, target)
    lower = np.maximum(np.log1p(-self), -100)
    each = (target - 1) * lower - target * np.maximum(np.log(self), -100)
    result = (each if weight is None else updated(np.multiply, each, weight)).astype(self.dtype, copy=False)
    return reduced(laid_out(result, self), reduction)


def _bce_grad_output(grad: Tensor, self: Tensor, target: Tensor, weight: Any, reduction: int) -> Tensor:
    below = plus(less_than(1, self), _EPS)  # here and below: see Note [Right operands first]
    divisor = plus(self, _EPS) * below
    result = (self - target) / divisor
    return _share(
        _weighted_(result.mul_(grad), weight), reduction, self
    )  # the engine reduces it to the operand's shape


def _bce_twice(
    grad: Tensor, grad_output: Tensor, self: Tensor, target: Tensor, weight: Any, reduction: int
) -> Tensor:
    above = plus(self, _EPS)
    below = plus(less_than(1, self), _EPS).pow(2)
    divisor = above.pow(2) * below
    middle = times(self, 2) * target
    result = (self * self - middle + target) / divisor
    return _share(_weighted_(result.mul_(grad * grad_output), weight), reduction, self)


def _bce_twice_target(
    grad: Tensor, grad_output: Tensor, self: Tensor, target: Tensor, weight: Any, reduction: int
) -> Tensor:
    result = _weighted_(-grad * grad_output, weight)
    product = less_than(1, self) * self
    with no_grad():
        product.clamp_(_EPS)
    return _share_(result.div_(product), reduction, target)


@op(
    "BinaryCrossEntropyBackwardBackward0",
    tensors="weight",
    grad_output=_bce_grad_output,
    self=_bce_twice,
    target=_bce_twice_target,
)
def binary_cross_entropy_backward(
    grad_output: Array, self: Array, target: Array, weight: Any = None, reduction: int = MEAN
) -> Array:
    """The gradient of binary_cross_entropy."""
    result = grad_output * (self - target) / np.maximum((1 - self) * self, self.dtype.type(_EPS))
    if weight is not None:
        result = result * weight
    result = (result / self.size if reduction == MEAN else result).astype(self.dtype, copy=False)
    return laid_out(result, self)


# Binary, of logits --------------------------------------------------------------------------------


def _log_sigmoid(array: Array) -> Array:
    wide = half_up(array)
    return (np.minimum(wide, 0) - np.log1p(np.exp(-np.abs(wide)))).astype(array.dtype, copy=False)


def _logits_backward(
    grad: Tensor, self: Tensor, target: Tensor, weight: Any, pos_weight: Any, reduction: int
) -> Tensor:
    """The gradient, computed in place unless a graph is created; version counters expose that."""
    if is_grad_enabled():
        if pos_weight is None:
            result = (sigmoid(self) - target) * grad
        else:
            t = pos_weight * target
            result = (((plus(t, 1) - target) * sigmoid(self)) - t) * grad
        return _share_(_weighted(result, weight), reduction, self)
    if pos_weight is None:
        result = sigmoid(self).sub_(target)
    else:
        t = pos_weight * target
        result = plus(t, 1).sub_(target).mul_(sigmoid(self)).sub_(t)
    return _share_(_weighted_(result.mul_(grad), weight), reduction, self)


def _logits_target(
    grad: Tensor, self: Tensor, target: Tensor, weight: Any, pos_weight: Any, reduction: int
) -> Tensor:
    if pos_weight is None:
        return _share_(_weighted_(-self * grad, weight), reduction, target)
    result = logsigmoid(-self).sub_(logsigmoid(self).mul_(pos_weight)).mul_(grad)
    return _share_(_weighted_(result, weight), reduction, target)


@op(
    "BinaryCrossEntropyWithLogitsBackward0",
    tensors="weight pos_weight",
    autocast="fp32",
    self=_logits_backward,
    target=_logits_target,
)
def binary_cross_entropy_with_logits(
    self: Array, target: Array, weight: Any = None, pos_weight: Any = None, reduction: int = MEAN
) -> Array:
    """binary_cross_entropy of the logits' sigmoid, computed without overflow."""
    need_floats("log_sigmoid_cpu", self)
    log = _log_sigmoid(self)
    if pos_weight is not None:
        broadcast_shapes(pos_weight.shape, target.shape)
        (factor, _) = promote_arrays(False, pos_weight - pos_weight.dtype.type(1), target)
        log = updated(
            np.multiply, log, factor * target.astype(factor.dtype, copy=False) + factor.dtype.type(1)
        )
    check_subtractable(target, target)
    each = updated(np.multiply, target.dtype.type(1) - target, self)
    each = updated(np.subtract, each, log)
    if weight is not None:
        each = updated(np.multiply, each, weight)
    return reduced(each, reduction)


# Classes ------------------------------------------------------------------------------------------


_CLASS_TYPES = frozenset({np.dtype(np.int64), np.dtype(np.uint8)})


def _check_classes(self: Array, target: Array, weight: Any, channel: int, ignore_index: int) -> None:
    """Raise an error for targets that are not class indices of ``self``."""
    if target.dtype not in _CLASS_TYPES:
        raise RuntimeError(
            f"expected target dtype to be Long or Byte, but got {dtypes.BY_NUMPY[target.dtype].legacy}"
        )
    image, classes = self.ndim == 4, self.shape[channel]
    if weight is not None and (weight.ndim != 1 or weight.size != classes):
        raise RuntimeError(
            "weight tensor should be defined either for all or no classes"
            if image
            else f"weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight.shape)}"
        )
    need_floats("nll_loss2d_forward_out_frame" if image else "nll_loss_out_frame", self)
    need_fitting(not image or target.dtype == np.int64, "nll_loss2d")
    # Read as unsigned, a negative index exceeds every class.
    outside = target.view(f"u{target.itemsize}") >= classes
    if np.count_nonzero(outside):
        wrong = target[outside & (target != ignore_index)]
        if wrong.size:
            raise IndexError(f"Target {int(wrong.flat[0])} is out of bounds.")


def _places(target: Array, ignored: Array, channel: int) -> tuple[Array, ...]:
    """The index arrays of the targets' entries; for an ignored target, of any entry."""
    classes = np.where(ignored, 0, target)
    places = [np.arange(n).reshape(-1, *(1,) * (target.ndim - 1 - i)) for i, n in enumerate(target.shape)]
    places.insert(channel, classes)
    return tuple(places)


def _class_weights(target: Array, weight: Any, ignored: Array, kind: np.dtype[Any]) -> Array:
    """The weight of each target, 0 for an ignored one."""
    each = kind.type(1) if weight is None else weight[np.where(ignored, 0, target)]
    return np.where(ignored, kind.type(0), each)


def nll_total_weight(
    self: Array, target: Array, weight: Any, reduction: int, ignore_index: int, channel: int
) -> Array:
    """The sum of the weights of the targets that are not ignored: the divisor of the mean."""
    _check_classes(self, target, weight, channel, ignore_index)
    if reduction == NONE and self.ndim > 1:  # a single sample is summed even without reduction
        return np.zeros((), self.dtype)
    weights = _class_weights(target, weight, target == ignore_index, self.dtype)
    return np.asarray(weights.sum())


def _nll(
    self: Array, target: Array, weight: Any, reduction: int, ignore_index: int, total: Array, channel: int
) -> Array:
    ignored = target == ignore_index
    weights = _class_weights(target, weight, ignored, self.dtype)
    each = -self[_places(target, ignored, channel)] * weights
    each = np.where(ignored, self.dtype.type(0), each)
    if reduction == NONE:
        return each
    result = each.sum()
    return np.asarray(result / total if reduction == MEAN else result, self.dtype)


def _nll_gradient(
    grad: Array,
    self: Array,
    target: Array,
    weight: Any,
    reduction: int,
    ignore_index: int,
    total: Array,
    channel: int,
) -> Array:
    ignored = target == ignore_index
    weights = _class_weights(target, weight, ignored, self.dtype)
    values = weights * (-(grad / total) if reduction == MEAN else -grad)
    values = np.where(ignored, self.dtype.type(0), values)
    result = np.zeros(self.shape, self.dtype)
    result[_places(target, ignored, channel)] = values
    return result


@op(
    "NllLossBackward0",
    tensors="target weight total_weight",
    autocast="fp32",
    operator="nll_loss_forward",
    schema_args=lambda *args: (args[:5], {}),
    self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: nll_loss_backward(
        grad, self, target, weight, reduction, ignore_index, total_weight
    ),
)
def nll_loss(
    self: Array, target: Array, weight: OptionalArray, reduction: int, ignore_index: int,
    total_weight: OptionalArray,
) -> Array:  # fmt: skip
    """The negated entry of each sample's target class, weighted and reduced."""
    if self.ndim == 1:  # a target with one dimension works too, though the backward pass rejects it
        target = target.reshape(())
    return _nll(self, target, weight, reduction, ignore_index, total_weight, self.ndim - 1)


@op(
    "NllLossBackwardBackward0",
    tensors="target weight total_weight",
    grad_output=lambda grad, target, weight, reduction, ignore_index: classes_loss(
        grad, target, weight, reduction, ignore_index
    ),
    self=lambda grad: zeros_like(grad),
)
def nll_loss_backward(
    grad_output: Array, self: Array, target: Array, weight: OptionalArray, reduction: int,
    ignore_index: int, total_weight: OptionalArray,
) -> Array:  # fmt: skip
    """The gradient of nll_loss."""
    if target.ndim and self.shape[0] != target.shape[0]:
        raise RuntimeError(f"size mismatch (got input: {list(self.shape)}, target: {list(target.shape)})")
    if self.ndim == 1:
        target = target.reshape(())
    return _nll_gradient(
        grad_output, self, target, weight, reduction, ignore_index, total_weight, self.ndim - 1
    )


@op(
    "NllLoss2DBackward0",
    tensors="target weight total_weight",
    autocast="fp32",
    operator="nll_loss2d_forward",
    schema_args=lambda *args: (args[:5], {}),
    self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: nll_loss2d_backward(
        grad, self, target, weight, reduction, ignore_index, total_weight
    ),
)
def nll_loss2d(
    self: Array, target: Array, weight: OptionalArray, reduction: int, ignore_index: int,
    total_weight: OptionalArray,
) -> Array:  # fmt: skip
    """nll_loss of images, with a class for each pixel."""
    return _nll(self, target, weight, reduction, ignore_index, total_weight, 1)


@op(
    "NllLoss2DBackwardBackward0",
    tensors="target weight total_weight",
    grad_output=lambda grad, target, weight, reduction, ignore_index: classes_loss(
        grad, target, weight, reduction, ignore_index
    ),
    self=lambda grad: zeros_like(grad),
)
def nll_loss2d_backward(
    grad_output: Array, self: Array, target: Array, weight: OptionalArray, reduction: int,
    ignore_index: int, total_weight: OptionalArray,
) -> Array:  # fmt: skip
    """The gradient of nll_loss2d.

    Raises:
        RuntimeError: the input is not contiguous, which torch's kernel requires.
    """
    result = like_steps(
        _nll_gradient(grad_output, self, target, weight, reduction, ignore_index, total_weight, 1), self
    )
    if not result.flags.c_contiguous:
        raise RuntimeError("grad_input must be contiguous")
    return result


def classes_loss(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> Tensor:
    """nll_loss of an input with one or two dimensions, nll_loss2d of one with four."""
    image = input._array.ndim == 4
    channel = 1 if image else input._array.ndim - 1
    weights = None if weight is None else weight._array
    total = nll_total_weight(input._array, target._array, weights, reduction, ignore_index, channel)
    need_fitting(weight is None or weight.dtype is input.dtype, "nll_loss")
    loss = nll_loss2d if image else nll_loss
    return loss(input, target, weight, reduction, ignore_index, make(total))
