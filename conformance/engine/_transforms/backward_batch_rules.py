"""Batch rules of backward operators such as mse_loss_backward (torch: BatchRulesActivation.cpp, BatchRulesLoss.cpp)."""

from __future__ import annotations

from typing import Any

from .._aten.pointwise.where_clamp import where
from .._aten.registry import Row, bind
from .._autograd.tensor import Tensor
from .batch_dims import aligned, front_or_expanded, wrapped
from .batch_rule_registry import rule, shared_rule
from .jvp import call


@shared_rule("element_by_element")
def _element_by_element(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """Elementwise backward operators: an operand that is not batched broadcasts."""
    arguments = bind(row, args, kwargs)
    return wrapped(call(row, dict(zip(arguments, aligned(arguments.values(), level), strict=True))), level)


@rule("_log_softmax_backward_data", "_softmax_backward_data", "gelu_backward")
def _of_one_shape(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """Operators whose tensors all have one shape: unbatched ones are expanded, and ``dim`` is shifted by 1."""
    arguments = bind(row, args, kwargs)
    rank = arguments["grad_output"]._array.ndim
    if "dim" in arguments and not rank:
        return NotImplemented
    if "dim" in arguments:
        arguments["dim"] = arguments["dim"] % rank + 1
    for name, each in arguments.items():
        if isinstance(each, Tensor):
            value = front_or_expanded(each, level)
            arguments[name] = value.contiguous() if row.name == "_softmax_backward_data" else value
    return wrapped(call(row, arguments), level)


# Losses: torch has no batched kernel, and decomposes them -----------------------------------------


def _norm(self: Tensor, reduction: int) -> float:
    return 1.0 / self.numel() if reduction == 1 else 1.0


@rule("mse_loss_backward")
def _mse_loss(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    grad, self, target, reduction = bind(row, args, kwargs).values()
    return (self - target) * (2 * _norm(self, reduction)) * grad


@rule("smooth_l1_loss_backward")
def _smooth_l1_loss(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    grad, self, target, reduction, beta = bind(row, args, kwargs).values()
    difference, scaled = self - target, grad * _norm(self, reduction)
    return where(difference.abs() < beta, scaled * difference / beta, scaled * difference.sign())


@rule("huber_loss_backward")
def _huber_loss(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    grad, self, target, reduction, delta = bind(row, args, kwargs).values()
    difference, norm = self - target, _norm(self, reduction)
    inside = where(difference >= delta, grad * norm * delta, difference * norm * grad)
    return where(difference <= -delta, grad * -norm * delta, inside)
