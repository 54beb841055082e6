"""What operations do with whole batches (torch: functorch/BatchRules*.cpp); see Note [Batch rules].

A rule calls rows with wholes: the dimension that counts the examples is moved to the front, and those of an example
come behind it. What it returns is batched again along the front. NotImplemented sends the operation to the examples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.registry import Row
from .._autograd.batched_tensor import make_batched, unwrap_batched, vmaps
from .._c10 import errors
from . import (
    backward_batch_rules,
    batched_fallback,
    blas_batch_rules,
    linalg_batch_rules,
    loss_batch_rules,
    nn_batch_rules,
    norm_batch_rules,
    pointwise_batch_rules,
    reduction_batch_rules,
    scatter_batch_rules,
    view_batch_rules,
)
from .batch_dims import Rule, is_at, moved


def of_whole(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """zeros_like and its like: of the whole, however it lies."""
    input, *rest = args or (None,)
    if not is_at(input, level):
        return NotImplemented
    whole, dim = unwrap_batched(input)
    return make_batched(made(whole, *rest, **kwargs), dim, level)


def hooked(again: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """register_hook: inside of a derivative the hook is asked once, for the gradients of all examples."""
    batch, hook = args
    if not batch.requires_grad:
        raise RuntimeError(errors.HOOK_WITHOUT_GRAD)
    if batch._value is None:
        return NotImplemented
    whole, dim = batch._value, batch._bdim

    def of_whole_batch(gradient: Any) -> Any:
        if level >= len(vmaps):  # a derivative outside is taken
            return None
        found = hook(make_batched(gradient, dim, level))
        return moved(found, dim) if is_at(found, level) else found

    return again(whole, of_whole_batch)


RULES: dict[str, Rule] = {}
for _rules in (
    pointwise_batch_rules,
    view_batch_rules,
    reduction_batch_rules,
    blas_batch_rules,
    backward_batch_rules,
    linalg_batch_rules,
    loss_batch_rules,
    nn_batch_rules,
    norm_batch_rules,
    scatter_batch_rules,
):
    RULES |= _rules.RULES
RULES |= dict.fromkeys(batched_fallback.ROWS, batched_fallback.one_by_one)
COMPOSED: dict[str, Callable[..., Any]] = {  # of functions that are no rows
    **batched_fallback.FUNCTIONS,
    **linalg_batch_rules.COMPOSED,
    **loss_batch_rules.COMPOSED,
    **norm_batch_rules.COMPOSED,
    **scatter_batch_rules.COMPOSED,
    **view_batch_rules.COMPOSED,
    "register_hook": hooked,
    **dict.fromkeys(["empty_like", "full_like", "logsigmoid", "ones_like", "zeros_like"], of_whole),
}


def rule_of(row: Row) -> Rule | None:
    """The rule for a row, if there is one; most rows whose operands meet are pointwise."""
    found = RULES.get(row.name)
    if found is None and pointwise_batch_rules.is_pointwise(row):
        found = RULES[row.name] = pointwise_batch_rules.pointwise
    return found
