"""Batch rules of losses (torch: functorch/BatchRulesLoss.cpp, _decomp/decompositions.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.creation.factories import ones_like
from .._aten.indexing.gather_scatter import gather
from .._aten.nn.losses import MEAN, NONE
from .._aten.pointwise.where_clamp import where
from .._aten.registry import Row, bind
from .._autograd.tensor import Tensor
from .batch_dims import front, front_or_expanded, is_at, wrapped
from .batch_rule_registry import composed_rule, rule
from .jvp import call


def _reduced(each: Tensor, reduction: int) -> Tensor:
    """The losses, their mean or their sum, by ``reduction``."""
    return each if reduction == NONE else each.mean() if reduction == MEAN else each.sum()


@rule("binary_cross_entropy")
def binary_cross_entropy(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """binary_cross_entropy: the elementwise losses, which are then weighted and reduced."""
    input, target, weight, reduction = bind(row, args, kwargs).values()
    if input._array.shape != target._array.shape:
        return NotImplemented
    if is_at(input, level) or is_at(target, level):
        values = (front_or_expanded(each, level) for each in (input, target))
        result = wrapped(row.call(*values, None, NONE), level)
    else:
        result = row.call(input, target, None, NONE)
    if weight is not None:
        result = result * weight
    return _reduced(result, reduction)


def _flat(each: Tensor, level: int) -> Tensor:
    """The elements of each sample in one dimension (torch: flatten_logical)."""
    if not is_at(each, level):
        return each.flatten()
    value = front(each)
    return value.flatten(1) if value._array.ndim > 1 else value


@rule("huber_loss", "mse_loss", "smooth_l1_loss")
def loss(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """The elementwise losses of flat samples, and their sum or mean per sample."""
    arguments = bind(row, args, kwargs)
    input, target, reduction = arguments["self"], arguments["target"], arguments["reduction"]
    flat = {"self": _flat(input, level), "target": _flat(target, level)}
    result = call(row, {**arguments, **flat, "reduction": NONE})
    if result._array.ndim == 1:
        return wrapped(result, level)
    if reduction == NONE:
        batched = input if is_at(input, level) else target
        return wrapped(result.reshape(front(batched)._array.shape), level)
    return wrapped(result.mean(-1) if reduction == MEAN else result.sum(-1), level)


@composed_rule("classes_loss")
def classes_loss(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """nll_loss, decomposed: gather the inputs of the target classes; the loss is 0 where the target is ignore_index."""
    input, target, weight, reduction, ignore_index = args
    rank = input._array.ndim
    channel = 0 if rank < 2 else 1
    by_class = weight
    if weight is not None:
        if rank > 1:
            by_class = weight.view([-1 if axis == channel else 1 for axis in range(rank)])
        input = input * by_class
    place = where(target != ignore_index, target, 0).unsqueeze(channel)
    result = where(target != ignore_index, -gather(input, channel, place).squeeze(channel), 0)
    if reduction == NONE:
        return result
    if reduction != MEAN:
        return result.sum()
    if by_class is None:
        return result.sum() / (target != ignore_index).sum().to(input.dtype)
    weights = gather(by_class.expand(input._array.shape), channel, place).squeeze(channel)
    total = where(target != ignore_index, weights, 0).sum()
    return result.sum() / total


@rule("binary_cross_entropy_with_logits")
def logits_loss(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """binary_cross_entropy_with_logits, decomposed into the same operations as in torch."""
    input, target, weight, positive, reduction = bind(row, args, kwargs).values()
    most = (-input).clamp_min(0)
    if positive is not None:
        log_weight = (positive - 1).mul(target).add_(1)
    result = ones_like(target).sub_(target).mul(input)
    if positive is None:
        result.add_(most)
    log = (-most).exp_().add((-input - most).exp_()).log_()
    result = result.add_(log) if positive is None else result.add(log_weight.mul(log.add_(most)))
    if weight is not None:
        result = result * weight
    return _reduced(result, reduction)
