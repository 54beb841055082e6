"""The losses of torch.nn.functional, with their argument checks.

Note [Right operands first]: torch composes some losses and derivatives in C++, whose compiler evaluates the right operand
of an operator before the left one. The order of evaluation numbers the nodes, and hence decides the order in which several
gradients of one tensor are added.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .._arguments.argument_errors import check_tensors
from .._aten.creation.factories import ones_like
from .._aten.nn import cross_entropy as entropy
from .._aten.nn import losses as ops
from .._aten.nn.softmax import log_softmax
from .._aten.scalar_operands import over, plus, times
from .._aten.shape.broadcast_meshgrid import broadcast_shapes as infer_size
from .._aten.shape.view_reshape import expand
from .._aten.special.special import xlogy
from .._autograd.tensor import Tensor
from .._c10 import errors
from .._c10.modes import no_grad
from .._c10.operator_facts import composite
from .._c10.shapes import broadcast_shapes
from .._c10.warn_once import warn_program
from .reduction import MEAN, NONE, SUM, legacy_reduction, reduce_loss, reduction_number

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


def _weighted(
    errors: Tensor, weight: Tensor, input: Tensor, reduction: str, mean: Callable[[Tensor], Tensor]
) -> Tensor:
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    weighted = errors * weight
    if reduction == "none":
        return weighted
    if reduction == "sum":
        return weighted.sum()
    if reduction == "mean":
        return mean(weighted)
    raise ValueError(f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.")


@composite(vmap="decompose")
def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The squared difference."""
    a, b = _broadcast(input, target)
    if weight is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
        return _weighted((a - b).pow(2), weight, input, reduction, lambda each: each.sum() / weight.sum())
    return ops.mse_loss(a, b, reduction_number(size_average, reduce, reduction))


@composite(vmap="decompose")
def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The absolute difference."""
    a, b = _broadcast(input, target)
    if weight is not None:
        reduction = legacy_reduction(size_average, reduce, reduction)
        return _weighted((a - b).abs(), weight, input, reduction, lambda each: each.sum() / weight.sum())
    return _l1_loss(a, b, reduction_number(size_average, reduce, reduction))


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
    delta = float(delta)
    if weight is None:
        return ops.huber_loss(a, b, reduction_number(None, None, reduction), delta)
    return _weighted(ops.huber_loss(a, b, NONE, delta), weight, input, reduction, lambda each: each.mean())


# Classification -----------------------------------------------------------------------------------


def _nll_loss(input: Tensor, target: Tensor, weight: Any, number: int, ignore_index: int) -> Tensor:
    try:
        shape, wanted = input._array.shape, target._array.shape
    except AttributeError:
        check_tensors("nll_loss_nd", input=input, target=target)
        raise
    if not shape:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(shape) == 1 and len(wanted) == 1 and wanted != (1,):
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {wanted[0]}")
    if len(shape) > 1 and (not wanted or shape[0] != wanted[0]):
        have = wanted[0] if wanted else 0
        raise ValueError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({have}).")
    if len(shape) <= 2:
        if len(wanted) > 1:
            raise RuntimeError(errors.MULTI_TARGET)
        return entropy.classes_loss(input, target, weight, number, ignore_index)
    if len(shape) == 4:
        _check_image(shape, wanted)
        return entropy.classes_loss(input, target, weight, number, ignore_index)
    out = (shape[0], *shape[2:])
    if wanted != out:
        raise RuntimeError(f"Expected target size {list(out)}, got {list(wanted)}")
    flat = (1, -1) if input._array.size else (0, 0)
    as_image = input.contiguous().view(shape[0], shape[1], *flat)
    found = entropy.classes_loss(
        as_image, target.contiguous().view(shape[0], *flat), weight, number, ignore_index
    )
    return found.view(out) if number == NONE else found


def _check_image(shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if len(wanted) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(wanted)}"
        )
    if (shape[0], *shape[2:]) != wanted:
        raise RuntimeError(f"size mismatch (got input: {list(shape)} , target: {list(wanted)}")


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
    try:
        shape, wanted = input._array.shape, target._array.shape
    except AttributeError:
        check_tensors("cross_entropy_loss", input=input, target=target)
        raise
    dim = 0 if len(shape) == 1 else 1
    if shape == wanted:
        if not target.is_floating_point():
            raise RuntimeError(
                f"Expected floating point type for target with class probabilities, got {target.dtype.legacy}"
            )
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
    if weight is not None and (weight._array.ndim != 1 or weight._array.size != classes):
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight._array.shape)}"
        )
    logs = log_softmax(input, dim)
    if label_smoothing > 0.0:
        _check_smoothing(label_smoothing)
        target = plus(times(target, 1 - label_smoothing), label_smoothing / classes)
    product = logs * target
    if weight is not None:
        product = product * _weight_by_class(weight, input, dim)
    if number == NONE:
        return -product.sum(dim)
    if not input._array.size and number != SUM:
        return -product.sum().fill_(math.nan)
    total = -product.sum()
    if number == SUM:
        return total
    return over(total, input._array.size // classes)


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
    try:
        found = _kl_div(input, target, number, log_target)
    except (AttributeError, TypeError):
        check_tensors("kl_div", input=input, target=target)
        raise
    if reduction == "batchmean" and input._array.ndim:
        return found / input._array.shape[0]
    return found


def _kl_div(input: Tensor, target: Tensor, number: int, log_target: bool) -> Tensor:
    if input.is_complex() or target.is_complex():
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported.")
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
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")
    if log_input:
        product = target * input  # evaluated first, see Note [Right operands first]
        loss = input.exp() - product
    else:
        loss = input - target * plus(input, eps).log()
    if full:
        root = times(times(target, 2 * math.pi).log(), 0.5)
        stirling = target * target.log() - target + root
        loss += stirling.masked_fill(target <= 1, 0)
    return reduce_loss(loss, reduction_number(None, None, reduction))


@composite(vmap="decompose")
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The negative log likelihood of normally distributed targets with given variances."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * ones_like(input)
    elif (var < 0).any():
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
