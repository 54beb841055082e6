"""Batch rules of matrix products, cat and stack (torch: functorch/BatchRulesLinearAlgebra.cpp, BatchRulesViews.cpp)."""

from __future__ import annotations

import functools
from typing import Any

from .._aten.blas.matmul import matmul
from .._aten.registry import ROWS, Row, bind
from .._aten.shape.cat_stack import cat
from .._autograd.batched_tensor import inside_derivative, unwrap_batched, vmaps
from .._autograd.tensor import Tensor
from .._c10.shapes import wrap_dim
from .batch_dims import front, front_of, front_or_expanded, is_at, moved, ranks, wrapped
from .batch_rule_registry import rule

# Products -----------------------------------------------------------------------------------------


@rule("dot", "vdot")
def dotted(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """dot: batched matmul of vector pairs, or a single matmul if only one operand is batched."""
    first, second = bind(row, args, kwargs).values()
    if ranks(first, second) != (1, 1) or (row.name == "vdot" and first._array.dtype.kind == "c"):
        return NotImplemented
    a, b = front_of(first, level), front_of(second, level)
    if is_at(first, level) and is_at(second, level):
        return wrapped(matmul(a.unsqueeze(-2), b.unsqueeze(-1)).squeeze(-1).squeeze(-1), level)
    return wrapped(matmul(a, b.t()), level)


@rule("mv")
def matrix_by_vector(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """mv: an unbatched matrix multiplies all vectors as the columns of a matrix; otherwise matmul is batched."""
    matrix, vector = bind(row, args, kwargs).values()
    if ranks(matrix, vector) != (2, 1):
        return NotImplemented
    if not is_at(vector, level):
        return wrapped(matmul(front(matrix), vector), level)
    if not is_at(matrix, level):
        return wrapped(matmul(matrix, moved(vector, -1)), level, 1)
    columns = front(vector).unsqueeze(-1)
    return wrapped(matmul(moved(matrix), columns).squeeze(-1), level)


@rule("bmm", "mm")
def multiplied(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """mm and bmm: one matmul of the values, whose leading dimensions broadcast."""
    first, second = bind(row, args, kwargs).values()
    if ranks(first, second) != ((2, 2) if row.name == "mm" else (3, 3)):
        return NotImplemented
    values = [front_of(each, level) for each in (first, second)]
    if row.name == "mm" and ranks(*values) == (3, 3) and inside_derivative(level):
        return wrapped(ROWS["_mm_of_samples"].call(*values), level)
    return wrapped(matmul(*values), level)


def added_product(product: str, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """addmm, addmv, baddbmm, decomposed as in torch; addmm alone adds the summand even where beta is 0."""
    summand, first, second, beta, alpha = bind(row, args, kwargs).values()
    result, times = ROWS[product].call(first, second), ROWS["mul_scalar"].call
    if product == "mm":
        return ROWS["add"].call(times(summand, beta), result, alpha=alpha)
    if alpha != 1:
        result = times(result, alpha)
    return result if beta == 0 else ROWS["add"].call(times(summand, beta), result)


# cat, stack and others ----------------------------------------------------------------------------


@rule("cat")
def concatenated(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """cat: tensors that are not batched are expanded; those of shape (0,), which cat skips, lose their batch dimension."""
    tensors, dim, *_ = bind(row, args, kwargs).values()
    empty = [each._array.shape == (0,) for each in tensors]
    joined = [
        each for each, skipped in zip(tensors, empty, strict=True) if not skipped and is_at(each, level)
    ]
    values = [
        front_or_expanded(each, level) if joined and not skipped else _first_example(each, level)
        for each, skipped in zip(tensors, empty, strict=True)
    ]
    if not joined:
        return cat(values, dim)
    return wrapped(cat(values, wrap_dim(dim, joined[0]._array.ndim) + 1), level)


def _first_example(tensor: Tensor, level: int) -> Tensor:
    """One example of a batch; a tensor that is not batched as it is."""
    if not is_at(tensor, level):
        return tensor
    value, place = unwrap_batched(tensor)
    return value.select(place, 0)


@rule("stack")
def stacked(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """stack: as cat, where ``dim`` counts the dimensions of the result."""
    tensors, dim = bind(row, args, kwargs).values()
    batch = next(each for each in tensors if is_at(each, level))
    size = vmaps[level].size
    values = [
        moved(each) if is_at(each, level) else each.unsqueeze(0).expand((size, *each._array.shape))
        for each in tensors
    ]
    return wrapped(row.call(values, wrap_dim(dim, batch._array.ndim + 1) + 1), level)


@rule("linalg_cross")
def crossed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """linalg_cross: operands that are not batched are expanded; per sample where the ranks differ."""
    first, second, dim = bind(row, args, kwargs).values()
    rank, *others = ranks(first, second)
    if others != [rank]:
        return NotImplemented
    values = [front_or_expanded(each, level) for each in (first, second)]
    return wrapped(row.call(*values, dim=wrap_dim(dim, rank) + 1), level)


@rule("block_diag")
def blocks(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """block_diag: called once per sample, without a warning."""
    (tensors,) = bind(row, args, kwargs).values()
    batched = [is_at(each, level) for each in tensors]
    values = [moved(each) if ours else each for each, ours in zip(tensors, batched, strict=True)]
    result = [
        row.call([each.select(0, i) if ours else each for each, ours in zip(values, batched, strict=True)])
        for i in range(vmaps[level].size)
    ]
    return wrapped(cat([each.unsqueeze(0) for each in result], 0), level)


rule("addmm")(functools.partial(added_product, "mm"))
rule("addmv")(functools.partial(added_product, "mv"))
rule("baddbmm")(functools.partial(added_product, "bmm"))
