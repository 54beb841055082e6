"""Decompositions and equations of whole batches of matrices (torch: functorch/BatchRulesLinearAlgebra.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.blas.matmul import outer
from .._aten.registry import ROWS, Row, bind
from .._autograd.batched_tensor import unwrap_batched
from .._autograd.tensor import Tensor
from .batch_dims import aligned, front, front_of, front_or_expanded, is_at, padded, ranks, wrapped
from .batch_rule_registry import composed_rule, rule
from .jvp import call


@rule("_cdist_forward", "cholesky_solve", "linalg_solve_triangular", "triangular_solve")
def of_two(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """An equation of two matrices, or batches of them: they broadcast."""
    given = bind(row, args, kwargs)
    return wrapped(call(row, dict(zip(given, aligned(given.values(), level), strict=True))), level)


@rule("_linalg_solve_ex")
def solved(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """solve: a right side with fewer dimensions is a vector, and keeps one less; what all examples share is expanded."""
    given = bind(row, args, kwargs)
    rank_of_a, rank_of_b = ranks(given["A"], given["B"])
    if rank_of_a < 2:
        raise RuntimeError("linalg.solve: The input tensor A must have at least 2 dimensions.")
    vector = rank_of_a > rank_of_b
    if rank_of_b < 2 - vector:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    rank = max(rank_of_a, rank_of_b)
    for name, needed in (("A", rank), ("B", rank - vector)):
        each = given[name]
        given[name] = padded(each, needed) if is_at(each, level) else front_or_expanded(each, level)
    return wrapped(call(row, given), level)


@rule("linalg_lu_solve")
def solved_by_factors(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """lu_solve: factors and pivots are batched both or not at all."""
    given = bind(row, args, kwargs)
    wholes = {"LU": 2, "pivots": 1, "B": 2}
    leading = max(given[name]._array.ndim - own for name, own in wholes.items())
    both = is_at(given["LU"], level) or is_at(given["pivots"], level)
    for name, own in wholes.items():
        each: Tensor = given[name]
        if is_at(each, level):
            given[name] = padded(each, leading + own)
        elif both and name != "B":
            given[name] = front_or_expanded(each, level)
    return wrapped(call(row, given), level)


@rule("linalg_householder_product", "lu_unpack")
def expanded(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """What is given by two tensors of as many examples, each."""
    given = {
        name: front_or_expanded(each, level) if isinstance(each, Tensor) else each
        for name, each in bind(row, args, kwargs).items()
    }
    return wrapped(call(row, given), level)


@rule("linalg_lstsq")
def fitted(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """lstsq: what a driver does not tell is empty, and one for all examples."""
    found = of_two(row, args, kwargs, level)
    return type(found)(
        each if unwrap_batched(each)[0]._array.shape != (0,) else unwrap_batched(each)[0] for each in found
    )


@rule("linalg_matrix_exp")
def exponentiated(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """matrix_exp: of matrices that lie in order."""
    (batch,) = bind(row, args, kwargs).values()
    return wrapped(row.call(front(batch).contiguous()), level)


@composed_rule("linalg_pinv")
def inverted(made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """pinv: one operation."""
    given = [front_of(each, level) for each in args]
    return wrapped(made(*given, **{name: front_of(each, level) for name, each in kwargs.items()}), level)


@rule("addbmm")
def added_products(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """addbmm: the products, and their sum."""
    summand, first, second, beta, alpha = bind(row, args, kwargs).values()
    found = ROWS["bmm"].call(first, second).sum(0)
    times = ROWS["mul_scalar"].call
    if alpha != 1:
        found = times(found, alpha)
    return found if beta == 0 else ROWS["add"].call(times(summand, beta), found)


@rule("addr")
def added_outer_product(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """addr: the product, and the sum."""
    summand, first, second, beta, alpha = bind(row, args, kwargs).values()
    if ranks(first, second) != (1, 1):
        return NotImplemented
    found = outer(first, second) * alpha
    return found if beta == 0 else summand.expand(found._array.shape) * beta + found
