"""The losses of torch.nn.functional, with their argument checks.

Note [Right operands first]: torch composes some losses and derivatives in C++, whose compiler evaluates the right operand
of an operator before the left one. The order of evaluation numbers the nodes, and hence decides the order in which several
gradients of one tensor are added.
"""

from __future__ import annotations

import math
from typing import Any

from .._aten.creation.factories import ones_like
from .._aten.nn import cross_entropy as entropy
from .._aten.nn import losses as ops
from .._aten.nn.softmax import log_softmax
from .._aten.scalar_operands import over, plus, times
from .._aten.shape.broadcast_meshgrid import broadcast_shapes as infer_size
from .._aten.shape.view_reshape import expand
from .._aten.special.special import xlogy
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting
from .._c10.modes import no_grad
from .._c10.operator_facts import composite
from .._c10.shapes import broadcast_shapes
from .._c10.warn_once import warn_program
from .reduction import MEAN, NONE, SUM, reduce_loss, reduction_number

# Regression ---------------------------------------------------------------------------------------


def _broadcast(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input and target, broadcast; warns if their shapes differ, since that is usually a mistake."""
    have, want = input.size(), target.size()
    if have == want:
        return input, target
    warn_program(
        f"Using a target size ({want}) that is different to the input size ({have}). This will likely lead "
        "to incorrect results due to broadcasting. Please ensure they have the same size.",
    )
    shape = broadcast_shapes(have, want)
    return tuple(each if each.size() == shape else expand(each, shape) for each in (input, target))  # type: ignore[return-value]


def _weighted(errors: Tensor, weight: Tensor, input: Tensor, number: int, by_weight: bool = True) -> Tensor:
    """Reduce weighted errors; the mean is that of all elements, or divided ``by_weight``, by the sum of the weights."""
    need_fitting(weight.size() == input.size(), "loss")
    weighted = errors * weight
    if number == MEAN and by_weight:
        return weighted.sum() / weight.sum()
    return reduce_loss(weighted, number)


@composite(vmap="decompose")
def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The squared difference."""
    a, b = _broadcast(input, target)
    number = reduction_number(size_average, reduce, reduction, weight)
    if weight is not None:
        return _weighted((a - b).pow(2), weight, input, number)
    return ops.mse_loss(a, b, number)


@composite(vmap="decompose")
def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The absolute difference."""
    a, b = _broadcast(input, target)
    number = reduction_number(size_average, reduce, reduction, weight)
    if weight is not None:
        return _weighted((a - b).abs(), weight, input, number)
    return _l1_loss(a, b, number)


@composite(autocast="fp32")
def _l1_loss(input: Tensor, target: Tensor, reduction: int) -> Tensor:
    return reduce_loss((input - target).abs(), reduction)


@composite(vmap="decompose")
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """The absolute difference, quadratic where it is below beta."""
    a, b = _broadcast(input, target)
    number = reduction_number(size_average, reduce, reduction)
    if beta == 0.0:
        return _l1_loss(a, b, number)
    if not beta >= 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return ops.smooth_l1_loss(a, b, number, float(beta))


@composite(vmap="decompose")
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """delta times the absolute difference, quadratic where it is below delta."""
    a, b = _broadcast(input, target)
    number, delta = reduction_number(None, None, reduction, weight), float(delta)
    if weight is None:
        return ops.huber_loss(a, b, number, delta)
    return _weighted(ops.huber_loss(a, b, NONE, delta), weight, input, number, by_weight=False)


# Classification -----------------------------------------------------------------------------------


def _nll_loss(input: Tensor, target: Tensor, weight: Any, number: int, ignore_index: int) -> Tensor:
    shape, wanted = input._array.shape, target._array.shape
    if len(shape) > 1 and (not wanted or shape[0] != wanted[0]):
        have = wanted[0] if wanted else 0
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({have}).")
    if len(shape) <= 2:
        need_fitting(len(wanted) <= 1, "nll_loss")
        return entropy.classes_loss(input, target, weight, number, ignore_index)
    out = (shape[0], *shape[2:])
    need_fitting(wanted == out, "nll_loss")
    if len(shape) == 4:
        return entropy.classes_loss(input, target, weight, number, ignore_index)
    flat = (1, -1) if input._array.size else (0, 0)
    as_image = input.contiguous().view(shape[0], shape[1], *flat)
    found = entropy.classes_loss(
        as_image, target.contiguous().view(shape[0], *flat), weight, number, ignore_index
    )
    return found.view(out) if number == NONE else found


@composite(vmap="decompose")
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Minus the input's entry at the target class."""
    return _nll_loss(input, target, weight, reduction_number(size_average, reduce, reduction), ignore_index)


@composite(vmap="decompose", autocast="fp32")
def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """nll_loss of log_softmax; the target has class indices or class probabilities."""
    number = reduction_number(size_average, reduce, reduction)
    shape, wanted = input._array.shape, target._array.shape
    dim = 0 if len(shape) == 1 else 1
    if shape == wanted:
        need_fitting(target.is_floating_point(), "cross_entropy")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _with_probabilities(input, target, weight, number, label_smoothing, dim)
    if label_smoothing > 0.0:
        _check_smoothing(label_smoothing)
        return _with_smoothing(input, target, weight, number, ignore_index, label_smoothing, dim)
    return _nll_loss(log_softmax(input, dim), target, weight, number, ignore_index)


def _check_smoothing(label_smoothing: float) -> None:
    if label_smoothing > 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")


def _weight_by_class(weight: Tensor, input: Tensor, dim: int) -> Tensor:
    if input._array.ndim == 1:
        return weight
    return weight.view([-1 if axis == dim else 1 for axis in range(input._array.ndim)])


def _with_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, number: int, label_smoothing: float, dim: int
) -> Tensor:
    classes = input._array.shape[dim]
    need_fitting(weight is None or weight._array.shape == (classes,), "cross_entropy")
    logs = log_softmax(input, dim)
    if label_smoothing > 0.0:
        _check_smoothing(label_smoothing)
        target = plus(times(target, 1 - label_smoothing), label_smoothing / classes)
    product = logs * target
    if weight is not None:
        product = product * _weight_by_class(weight, input, dim)
    if number == NONE:
        return -product.sum(dim)
    if number == MEAN and not input._array.size:
        return -product.sum().fill_(math.nan)
    total = -product.sum()
    return total if number == SUM else over(total, input._array.size // classes)


def _with_smoothing(
    input: Tensor, target: Tensor, weight: Tensor | None, number: int, ignore_index: int,
    label_smoothing: float, dim: int,
) -> Tensor:  # fmt: skip
    logs = log_softmax(input, dim)
    classes_loss = _nll_loss(logs, target, weight, number, ignore_index)
    ignored = target == ignore_index
    smooth = -(logs if weight is None else logs * _weight_by_class(weight, input, dim)).sum(dim)
    smooth.masked_fill_(ignored, 0.0)
    if number == MEAN and weight is not None:
        smooth = smooth.sum() / weight.gather(0, target.masked_select(~ignored).flatten()).sum()
    elif number == MEAN:
        smooth = smooth.sum() / (~ignored).sum()
    elif number == SUM:
        smooth = smooth.sum()
    second = times(smooth, label_smoothing / input._array.shape[dim])
    return times(classes_loss, 1 - label_smoothing) + second


# Probabilities ------------------------------------------------------------------------------------


@composite(vmap="decompose")
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """-(target * log(input) + (1 - target) * log(1 - input))."""
    number = reduction_number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(infer_size(target.size(), weight.size()))
    return entropy.binary_cross_entropy(input, target, weight, number)


@composite(vmap="decompose")
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """binary_cross_entropy of the sigmoid of logits."""
    number = reduction_number(size_average, reduce, reduction)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return entropy.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


@composite(vmap="fallback", autocast="fp32")
def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """The Kullback-Leibler divergence of the target from the input, which has log probabilities."""
    if size_average is not None or reduce is not None:
        number = reduction_number(size_average, reduce, reduction)
    else:
        if reduction == "mean":
            warn_program(
                "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
                "divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to "
                "behave the same as 'batchmean' in the next major release.",
            )
        number = reduction_number(None, None, "sum" if reduction == "batchmean" else reduction)
    found = _kl_div(input, target, number, log_target)
    if reduction == "batchmean" and input._array.ndim:
        return found / input._array.shape[0]
    return found


def _kl_div(input: Tensor, target: Tensor, number: int, log_target: bool) -> Tensor:
    need_fitting(input.is_floating_point() and target.is_floating_point(), "kl_div")
    if log_target:
        difference = target - input  # evaluated first, see Note [Right operands first]
        each = target.exp() * difference
    else:
        product = target * input
        each = xlogy(target, target) - product
    return reduce_loss(each, number)


@composite(vmap="decompose", autocast="fp32")
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False,
    size_average: bool | None = None, eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log likelihood of Poisson-distributed targets."""
    number = reduction_number(size_average, reduce, reduction)
    if log_input:
        product = target * input  # evaluated first, see Note [Right operands first]
        loss = input.exp() - product
    else:
        loss = input - target * plus(input, eps).log()
    if full:
        root = times(times(target, 2 * math.pi).log(), 0.5)
        stirling = target * target.log() - target + root
        loss += stirling.masked_fill(target <= 1, 0)
    return reduce_loss(loss, number)


@composite(vmap="decompose")
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The negative log likelihood of normally distributed targets with given variances."""
    if isinstance(var, float):
        var = var * ones_like(input)
    if (var < 0).any():
        raise ValueError("var has negative entry/entries")
    have, want = var.size(), input.size()
    if have != want:
        if want[:-1] == have:
            var = var.unsqueeze(-1)
        elif len(have) != len(want) or sum(y for x, y in zip(want, have, strict=True) if x != y) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss += 0.5 * math.log(2 * math.pi)
    return reduce_loss(loss, reduction_number(None, None, reduction))
