"""Batch rules: how vmap runs an operation once for the whole batch (torch: functorch/BatchRules*.cpp).

A rule unwraps the batched tensors, usually moves the batch dimension to the front, calls rows with these values, and
wraps the results again. If it returns NotImplemented, the operation runs per sample. See Note [Batch rules].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.registry import Row
from .._autograd.batched_tensor import level_of, make_batched, unwrap_batched, vmaps
from . import (  # noqa: F401  which declare rules
    backward_batch_rules,
    batched_fallback,
    blas_batch_rules,
    linalg_batch_rules,
    loss_batch_rules,
    nn_batch_rules,
    norm_batch_rules,
    reduction_batch_rules,
    scatter_batch_rules,
    view_batch_rules,
)
from .batch_dims import Rule, front, is_at, moved, wrapped
from .batch_rule_registry import RULES, SHARED, composed_rule
from .pointwise_batch_rules import pointwise


@composed_rule("empty_like", "full_like", "ones_like", "zeros_like")
def like_value(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """zeros_like, empty_like and others: called with the value, so that the result has the value's strides."""
    input, *rest = args or (None,)
    if not is_at(input, level):
        return NotImplemented
    value, dim = unwrap_batched(input)
    return make_batched(function(value, *rest, **kwargs), dim, level)


@composed_rule("logsigmoid")
def in_front(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """logsigmoid: called with the value, with the batch dimension in front."""
    (input,) = args or kwargs.values()
    return wrapped(function(front(input)), level)


@composed_rule("new_zeros", "new_ones", "new_empty", "new_full", "new_empty_strided")
def new_batch(again: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """new_zeros and others: one new value with a batch dimension in front; the old vmap has this rule, too."""
    batch, *rest = args
    if not is_at(batch, level):
        return NotImplemented
    value, count = unwrap_batched(batch)[0], vmaps[level].size
    if "size" in kwargs:
        kwargs = {**kwargs, "size": (count, *kwargs["size"])}
    elif rest and isinstance(rest[0], (tuple, list)):
        size, *rest = rest
        if rest and isinstance(rest[0], (tuple, list)):  # strides, of samples one after the other
            reach = 1 + sum((n - 1) * step for n, step in zip(size, rest[0], strict=True))
            rest[0] = (reach, *rest[0])
        rest.insert(0, (count, *size))
    else:
        rest.insert(0, count)
    return make_batched(again(value, *rest, **kwargs), 0, level)


@composed_rule("new", "new_tensor")
def new_sample(again: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """new_tensor and new: a tensor that is not batched, of data that are not."""
    batch, *rest = args
    if level_of((rest, tuple(kwargs.values()))) == level:
        return NotImplemented
    return again(unwrap_batched(batch)[0], *rest, **kwargs)


@composed_rule("register_hook")
def hooked(again: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """register_hook: inside a derivative the hook is called once, with the batched gradient of all samples."""
    batch, hook = args
    if batch._value is None:
        return NotImplemented
    value, dim = batch._value, batch._bdim

    def hook_of_value(gradient: Any) -> Any:
        if level >= len(vmaps):  # backward runs after this vmap has ended
            return None
        result = hook(make_batched(gradient, dim, level))
        return moved(result, dim) if is_at(result, level) else result

    return again(value, hook_of_value)


def rule_of(row: Row) -> Rule | None:
    """The batch rule of a row, or None; a row with type promotion and no rule of its own is elementwise."""
    result = RULES.get(row.name) or SHARED.get(row.facts.vmap)
    if result is None and row.promote:
        result = pointwise
    return result
