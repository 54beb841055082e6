"""Reductions of whole batches (torch: functorch/BatchRulesReduceOps.cpp)."""

from __future__ import annotations

import functools
from typing import Any

from .._aten.registry import ROWS, Row, bind
from .batch_dims import Rule, each_tensor, front, is_at, wrapped
from .jvp import call
from .view_batch_rules import dims_of


def reduced(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A reduction; a number is one along a dimension of its own."""
    given = bind(row, args, kwargs)
    batch = given["self"]
    if not is_at(batch, level):
        return NotImplemented
    whole, rank = front(batch), batch._array.ndim
    dim = given.get("dim")
    many = row.name in _OVER_SEVERAL
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
    if not rank and (row.name not in _REDUCTIONS or given.get("keepdim")):
        result = each_tensor(lambda each: each.squeeze(-1), result)
    return wrapped(result, level)


def whole_reduction(to_row: str, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """A reduction over all elements: the form that takes dimensions, over all but the first."""
    given = bind(row, args, kwargs)
    result = reduced(ROWS[to_row], (given.pop("self"), None), given, level)
    return result[0] if isinstance(result, tuple) else result


def whole_norm(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """norm, over all dimensions of an example."""
    batch, p = bind(row, args, kwargs).values()
    dims = tuple(range(batch._array.ndim))
    return ROWS["norm_along"].call(batch, p, dims, False) if dims else NotImplemented


def distance(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """dist: the norm of the difference."""
    first, second, p = bind(row, args, kwargs).values()
    return ROWS["norm_whole"].call(first - second, p)


_OVER_SEVERAL = frozenset(
    [
        "amax",
        "amin",
        "count_nonzero",
        "linalg_vector_norm",
        "logsumexp",
        "mean_dim",
        "nansum",
        "norm_along",
        "std",
        "std_mean",
        "sum_dim",
        "var",
        "var_mean",
    ]
)
_REDUCTIONS = _OVER_SEVERAL | frozenset(
    [
        "_aminmax",
        "aminmax",
        "all",
        "any",
        "argmax",
        "argmin",
        "kthvalue",
        "max_dim",
        "median_dim",
        "min_dim",
        "mode",
        "nanmedian_dim",
        "prod_dim",
    ]
)
_ALONG_ONE = """
_log_softmax _safe_softmax _softmax cummax cummin cumprod cumsum logcumsumexp sort sort_stable topk
"""
_OF_ALL = {
    "max": "max_dim",
    "mean": "mean_dim",
    "median": "median_dim",
    "min": "min_dim",
    "nanmedian": "nanmedian_dim",
    "prod": "prod_dim",
    "sum": "sum_dim",
}
RULES: dict[str, Rule] = {
    **dict.fromkeys([*_REDUCTIONS, *_ALONG_ONE.split()], reduced),
    **{name: functools.partial(whole_reduction, to_row) for name, to_row in _OF_ALL.items()},
    "dist": distance,
    "norm_whole": whole_norm,
}
