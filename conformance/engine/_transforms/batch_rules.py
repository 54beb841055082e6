"""Batch rules: how vmap runs an operation once for the whole batch (torch: functorch/BatchRules*.cpp).

A rule unwraps the batched tensors, usually moves the batch dimension to the front, calls rows with these values, and
wraps the results again. If it returns NotImplemented, the operation runs per sample. See Note [Batch rules].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.registry import Row
from .._autograd.batched_tensor import make_batched, unwrap_batched, vmaps
from .._c10 import errors
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
from .batch_dims import Rule, is_at, moved
from .batch_rule_registry import RULES, SHARED, composed_rule
from .pointwise_batch_rules import pointwise


@composed_rule("empty_like", "full_like", "logsigmoid", "ones_like", "zeros_like")
def like_value(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """zeros_like, empty_like and others: called with the value, so that the result has the value's strides."""
    input, *rest = args or (None,)
    if not is_at(input, level):
        return NotImplemented
    value, dim = unwrap_batched(input)
    return make_batched(function(value, *rest, **kwargs), dim, level)


@composed_rule("register_hook")
def hooked(again: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """register_hook: inside a derivative the hook is called once, with the batched gradient of all samples."""
    batch, hook = args
    if not batch.requires_grad:
        raise RuntimeError(errors.HOOK_WITHOUT_GRAD)
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
