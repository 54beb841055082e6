"""Batch rules of reductions (torch: functorch/BatchRulesReduceOps.cpp)."""

from __future__ import annotations

from typing import Any

from .._aten.registry import ROWS, Row, bind
from .batch_dims import each_tensor, front, sole_tensor, wrapped
from .batch_rule_registry import rule, shared_rule
from .jvp import call
from .view_batch_rules import dims_of


@shared_rule("reduction_dim", "reduction_dims", "along_dim")
def reduced(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A reduction over dimensions; a 0-d sample gets a dimension of 1 first."""
    arguments = bind(row, args, kwargs)
    batch = sole_tensor(arguments, level)
    value, rank = front(batch), batch._array.ndim
    dim = arguments.get("dim")
    many = row.facts.vmap == "reduction_dims"
    if not rank and (many or dim is not None):
        value = value.unsqueeze(-1)
    # Without vmap any and all reduce nothing then.
    of_all = isinstance(dim, tuple | list) and not dim
    if dim is None or of_all:
        if not (many or of_all) and rank != 1:
            value = value.reshape(value._array.shape[0], -1)
        arguments["dim"] = tuple(range(1, value._array.ndim)) if many or of_all else 1
    else:
        found = dims_of(dim, rank)
        arguments["dim"] = (found,) if many and isinstance(found, int) else found
    arguments["self"] = value
    result = call(row, arguments)
    if not rank and (row.facts.vmap == "along_dim" or arguments.get("keepdim")):
        result = each_tensor(lambda each: each.squeeze(-1), result)
    return wrapped(result, level)


@shared_rule("full_reduction")
def full_reduction(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A full reduction: the overload with ``dim``, over all dimensions of a sample."""
    arguments = bind(row, args, kwargs)
    result = reduced(ROWS[f"{row.name}_dim"], (arguments.pop("self"), None), arguments, level)
    return result[0] if isinstance(result, tuple) else result


@rule("norm_of_all")
def full_norm(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """norm over all dimensions of a sample."""
    batch, p = bind(row, args, kwargs).values()
    whole = batch if batch._array.ndim else batch.unsqueeze(-1)
    return ROWS["norm_along"].call(whole, p, tuple(range(whole._array.ndim)), False)


@rule("dist")
def distance(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """dist, decomposed: the norm of the difference."""
    first, second, p = bind(row, args, kwargs).values()
    return ROWS["norm_of_all"].call(first - second, p)
