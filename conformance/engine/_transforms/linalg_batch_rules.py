"""Batch rules of torch.linalg solvers and decompositions (torch: functorch/BatchRulesLinearAlgebra.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.blas.matmul import outer
from .._aten.registry import ROWS, Row, bind
from .._autograd.batched_tensor import make_batched, unwrap_batched
from .._autograd.tensor import Tensor
from .batch_dims import aligned, front, front_of, front_or_expanded, is_at, padded, ranks, wrapped
from .batch_rule_registry import composed_rule, rule
from .jvp import call


@rule("_cdist_forward", "cholesky_solve", "linalg_solve_triangular", "triangular_solve")
def of_two(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """Operators of two matrices, or batches of them, that broadcast."""
    arguments = bind(row, args, kwargs)
    return wrapped(call(row, dict(zip(arguments, aligned(arguments.values(), level), strict=True))), level)


@rule("_linalg_solve_ex")
def solved(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """linalg.solve: ``B`` with fewer dimensions than ``A`` is a vector; an operand that is not batched is expanded."""
    arguments = bind(row, args, kwargs)
    rank_of_a, rank_of_b = ranks(arguments["A"], arguments["B"])
    if rank_of_a < 2:
        raise RuntimeError("linalg.solve: The input tensor A must have at least 2 dimensions.")
    vector = rank_of_a > rank_of_b
    if rank_of_b < 2 - vector:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    rank = max(rank_of_a, rank_of_b)
    for name, needed in (("A", rank), ("B", rank - vector)):
        each = arguments[name]
        arguments[name] = padded(each, needed) if is_at(each, level) else front_or_expanded(each, level)
    return wrapped(call(row, arguments), level)


@rule("linalg_lu_solve")
def solved_by_factors(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """lu_solve: if one of the factors and the pivots is batched, the other is expanded."""
    arguments = bind(row, args, kwargs)
    dims = {"LU": 2, "pivots": 1, "B": 2}
    leading = max(arguments[name]._array.ndim - own for name, own in dims.items())
    both = is_at(arguments["LU"], level) or is_at(arguments["pivots"], level)
    for name, own in dims.items():
        each: Tensor = arguments[name]
        if is_at(each, level):
            arguments[name] = padded(each, leading + own)
        elif both and name != "B":
            arguments[name] = front_or_expanded(each, level)
    return wrapped(call(row, arguments), level)


@rule("linalg_householder_product", "lu_unpack")
def expanded(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """Operators of two tensors that do not broadcast: one that is not batched is expanded."""
    arguments = {
        name: front_or_expanded(each, level) if isinstance(each, Tensor) else each
        for name, each in bind(row, args, kwargs).items()
    }
    return wrapped(call(row, arguments), level)


@rule("linalg_lstsq")
def fitted(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """lstsq: all results are batched, but for those that the driver does not compute, which are empty."""
    arguments = bind(row, args, kwargs)
    if not is_at(arguments["self"], level):
        arguments["self"] = make_batched(front_or_expanded(arguments["self"], level), 0, level)
    result = of_two(row, (), arguments, level)
    return type(result)(
        each if unwrap_batched(each)[0]._array.shape != (0,) else unwrap_batched(each)[0] for each in result
    )


@rule("linalg_matrix_exp")
def exponentiated(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """matrix_exp: called with a contiguous value."""
    (batch,) = bind(row, args, kwargs).values()
    if batch._array.ndim < 2:
        return NotImplemented
    return wrapped(row.call(front(batch).contiguous()), level)


@composed_rule("linalg_pinv")
def inverted(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """pinv: called once with the values; to torch it is a single operation."""
    arguments = [front_of(each, level) for each in args]
    return wrapped(
        function(*arguments, **{name: front_of(each, level) for name, each in kwargs.items()}), level
    )


@rule("addbmm")
def added_products(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """addbmm, decomposed: bmm, sum over its first dimension, and add."""
    summand, first, second, beta, alpha = bind(row, args, kwargs).values()
    result = ROWS["bmm"].call(first, second).sum(0)
    times = ROWS["mul_scalar"].call
    if alpha != 1:
        result = times(result, alpha)
    return result if beta == 0 else ROWS["add"].call(times(summand, beta), result)


@rule("addr")
def added_outer_product(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """addr, decomposed: outer, and add."""
    summand, first, second, beta, alpha = bind(row, args, kwargs).values()
    if ranks(first, second) != (1, 1):
        return NotImplemented
    result = outer(first, second) * alpha
    return result if beta == 0 else summand.expand(result._array.shape) * beta + result
