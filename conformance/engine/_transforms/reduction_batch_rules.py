"""Batch rules of reductions (torch: functorch/BatchRulesReduceOps.cpp)."""

from __future__ import annotations

from typing import Any

from .._aten.registry import ROWS, Row, bind
from .batch_dims import each_tensor, front, is_at, wrapped
from .batch_rule_registry import rule, shared_rule
from .jvp import call
from .view_batch_rules import dims_of


@shared_rule("reduction_dim", "reduction_dims", "along_dim")
def reduced(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A reduction over dimensions; a 0-d sample gets a dimension of 1 first."""
    given = bind(row, args, kwargs)
    batch = given["self"]
    if not is_at(batch, level):
        return NotImplemented
    whole, rank = front(batch), batch._array.ndim
    dim = given.get("dim")
    many = row.facts.vmap == "reduction_dims"
    if not rank and (many or dim is not None):
        whole = whole.unsqueeze(-1)
    if dim is None or (many and not isinstance(dim, int) and len(dim) == 0):
        if not many and rank != 1:
            whole = whole.reshape(whole._array.shape[0], -1)
        given["dim"] = tuple(range(1, whole._array.ndim)) if many else 1
    else:
        found = dims_of(dim, rank)
        given["dim"] = (found,) if many and isinstance(found, int) else found
    given["self"] = whole
    result = call(row, given)
    if not rank and (row.facts.vmap == "along_dim" or given.get("keepdim")):
        result = each_tensor(lambda each: each.squeeze(-1), result)
    return wrapped(result, level)


@shared_rule("full_reduction")
def whole_reduction(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A full reduction: the overload with ``dim``, over all dimensions of a sample."""
    given = bind(row, args, kwargs)
    result = reduced(ROWS[f"{row.name}_dim"], (given.pop("self"), None), given, level)
    return result[0] if isinstance(result, tuple) else result


@rule("norm_whole")
def whole_norm(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """norm over all dimensions of a sample."""
    batch, p = bind(row, args, kwargs).values()
    dims = tuple(range(batch._array.ndim))
    return ROWS["norm_along"].call(batch, p, dims, False) if dims else NotImplemented


@rule("dist")
def distance(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """dist, decomposed: the norm of the difference."""
    first, second, p = bind(row, args, kwargs).values()
    return ROWS["norm_whole"].call(first - second, p)
