"""Batch rules of in-place operations (torch: functorch/BatchRulesBinaryOps.cpp, BatchRulesViews.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.inplace import run_inplace
from .._aten.registry import ROWS, Row
from .._autograd.batched_tensor import BatchedTensor
from .._c10.operator_facts import facts_of
from .._c10.shapes import wrap_dim
from . import batched_fallback, scatter_batch_rules
from .batch_dims import aligned, is_at
from .batch_rules import rule_of
from .pointwise_batch_rules import pointwise
from .view_batch_rules import check_squeezed


def write_value(row: Row, arguments: list[Any], level: int) -> bool:
    """Run a row in place on the value of its first argument, if that has one and a rule exists; whether it was run."""
    target = arguments[0]
    if row.facts.vmap_inplace == "fallback":
        batched_fallback.row_in_place(row, arguments, level)
        return True
    if not is_at(target, level) or target._value is None:
        return False
    if row.name == "index_put":
        run_inplace(row, scatter_batch_rules.put_in_place(row, arguments, level))
        target._cached_samples = None
        return True
    if not is_in_place(row):
        return False
    if row.name == "fill_tensor" and is_at(arguments[1], level):
        row = ROWS["copy"]
    run_inplace(row, aligned(arguments, level))
    return True


def is_in_place(row: Row) -> bool:
    """Whether the in-place form of a row has a batch rule."""
    return row.facts.vmap_inplace == "aligned" or (
        row.facts.vmap_inplace is None and rule_of(row) is pointwise
    )


def view_in_place(
    take: Callable[..., Any], name: str, batch: BatchedTensor, arguments: tuple[Any, ...]
) -> None:
    """squeeze_, unsqueeze_, transpose_ and t_ of a batched tensor; ``take`` calls the in-place view by name."""
    value, dim, rank = batch._value, batch._bdim, batch._array.ndim
    assert value is not None

    if not rank and arguments and name.startswith("squeeze"):  # a 0-d sample accepts only dimension 0
        check_squeezed(arguments)
        return
    if not rank and name in ("transpose_in_place", "t_in_place"):  # a 0-d sample does not change
        for each in arguments:
            wrap_dim(each, rank)
        return

    def place(given: Any) -> int:
        result = wrap_dim(given, rank)
        return result + (result >= dim)

    if name.startswith("squeeze") and not arguments:
        batch._bdim -= value._array.shape[:dim].count(1)
        take("squeeze_in_place", value)  # this squeezes a batch dimension of 1, too
    elif name == "unsqueeze_in_place":
        result = wrap_dim(arguments[0], rank + 1)
        take(name, value, result + (result >= dim))
        batch._bdim += result < dim
    elif name == "transpose_in_place":
        take(name, value, *map(place, arguments))
    elif name == "t_in_place":
        take("transpose_in_place", value, *((place(0), place(1)) if rank == 2 else (dim, dim)))
    else:
        taken = arguments[0] if not isinstance(arguments[0], int) else arguments
        shape = value._array.shape
        gone = [result for result in map(place, taken) if shape[result] == 1]
        take("squeeze_dims_in_place", value, tuple(map(place, taken)))
        batch._bdim -= sum(result < dim for result in gone)
    batch.reset_from_value()


def has_inplace_batch_rule(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], level: int
) -> bool:
    """Whether an in-place function runs by batch rules, not per sample."""
    facts = facts_of(function)
    if facts.vmap_inplace == "fallback":
        return True
    if not (args and is_at(args[0], level) and args[0]._value is not None):
        return False
    if name in ("__setitem__", "index_put_") or facts.vmap == "decompose":
        return True
    row = ROWS.get(name[:-1]) or getattr(function, "inplace_of", None)  # the latter for an alias
    return row is not None and is_in_place(row)
