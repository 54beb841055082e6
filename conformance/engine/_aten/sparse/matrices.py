"""The sparse kernels of sum, mm and addmm (torch: native/sparse/SparseTensorMath.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.shapes import wrap_dim
from ..._c10.warn_once import warn_program
from ..kernels import check_multipliable
from ..registry import ROWS
from .elementwise import add, mul
from .kernels import kernel, to_copy
from .shape import unsqueeze
from .sparse_array import Array, SparseArray, coalesced, coo, dense


@kernel("sum")
def _sum(self: SparseArray, dtype: Any = None) -> Any:
    return ROWS["sum"].forward(coalesced(self).values, dtype)


@kernel("sum_dim")
def _sum_dim(self: SparseArray, dim: Any, keepdim: bool = False, dtype: Any = None) -> Any:
    array = self if dtype is None else to_copy(self, dtype)
    given = (dim,) if isinstance(dim, int) else tuple(dim)
    axes = [wrap_dim(each, self.ndim) for each in given or range(self.ndim)]
    result = sum_over(array, axes)
    for axis in sorted(axes) if keepdim else ():
        result = unsqueeze(result, axis) if isinstance(result, SparseArray) else np.expand_dims(result, axis)
    return result


def sum_over(self: SparseArray, axes: list[int]) -> Any:
    """The sum over dimensions: dense if these include all sparse dimensions, else sparse."""
    whole = coalesced(self)
    inner = tuple(1 + each - self.sparse_dim for each in axes if each >= self.sparse_dim)
    values = whole.values.sum(inner, dtype=self.dtype) if inner else whole.values
    kept = [each for each in range(self.sparse_dim) if each not in axes]
    if not kept:
        return np.asarray(values.sum(0, dtype=self.dtype))
    shape = tuple(n for each, n in enumerate(self.shape) if each not in axes)
    if len(kept) == self.sparse_dim:
        return coo(whole.indices.copy(), values.copy(), shape, True)
    return coalesced(coo(whole.indices[kept], values, shape))


def product(a: Any, b: Any, kind: np.dtype[Any]) -> Array:
    """The dense product of two matrices, one of which is sparse."""
    result = np.zeros((a.shape[0], b.shape[1]), kind)
    if isinstance(a, SparseArray):
        np.add.at(result, a.indices[0], a.values[:, None] * b[a.indices[1]])
    else:
        np.add.at(result.T, b.indices[1], b.values[:, None] * a.T[b.indices[0]])
    return result


CSR = (
    "Sparse CSR tensor support is in beta state. If you miss a functionality in the sparse tensor support, please submit "
    "a feature request to https://github.com/pytorch/pytorch/issues."
)


def sparse_product(a: SparseArray, b: SparseArray) -> Any:
    """The sparse product of two sparse matrices; torch converts them to CSR, which warns."""
    for _ in (a, b):
        warn_program(CSR)
    wide, long = dense(a), dense(b)
    held = (dense(coo(a.indices, np.ones(a.nnz, np.int64), a.shape)) != 0).astype(np.int64)
    there = held @ (dense(coo(b.indices, np.ones(b.nnz, np.int64), b.shape)) != 0).astype(np.int64)
    indices = np.array(np.nonzero(there), np.int64)
    return coo(indices, (wide @ long)[tuple(indices)], (a.shape[0], b.shape[1]), True)


@kernel("mm")
def mm(self: Any, mat2: Any) -> Any:
    """The product of two matrices: sparse if both are."""
    if self.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"{'self' if self.ndim != 2 else 'mat2'} must be a matrix")
    _check_factors(self, mat2)
    if isinstance(self, SparseArray) and isinstance(mat2, SparseArray):
        return sparse_product(self, mat2)
    return product(self, mat2, self.dtype)


def _check_factors(a: Any, b: Any) -> None:
    if a.shape[1] != b.shape[0] and isinstance(a, SparseArray) and not isinstance(b, SparseArray):
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {a.shape[1]}, got {b.shape[0]}")
    check_multipliable(a, b)


@kernel("addmm", "_sparse_addmm")
def addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * self + alpha * (mat1 @ mat2)."""
    _check_factors(mat1, mat2)
    sparse_factors = isinstance(mat1, SparseArray), isinstance(mat2, SparseArray)
    result = (
        sparse_product(mat1, mat2)
        if all(sparse_factors)
        else product(mat1, mat2, mat1.dtype)
        if any(sparse_factors)
        else mat1 @ mat2
    )
    if isinstance(result, SparseArray):
        return add(_scaled(self, beta), result, alpha=alpha)
    shape = np.broadcast_to(self, result.shape) if not isinstance(self, SparseArray) else self
    scaled = result if alpha == 1 else result * result.dtype.type(alpha)
    if beta == 0:
        return scaled
    return scaled + (shape if beta == 1 else shape * result.dtype.type(beta))


def _scaled(array: Any, factor: Any) -> Any:
    if factor == 1:
        return array
    return mul(array, factor) if isinstance(array, SparseArray) else array * array.dtype.type(factor)


@kernel("mv")
def _mv(self: SparseArray, vec: Array) -> Any:
    if self.ndim != 2 or self.shape[1] != vec.shape[0]:
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    return product(self, vec.reshape(-1, 1), self.dtype).reshape(-1)


@kernel("bmm")
def _bmm(self: Any, mat2: Any) -> Any:
    if not isinstance(self, SparseArray) or isinstance(mat2, SparseArray):
        raise NotImplementedError("torch.bmm whose second operand is sparse")
    return dense(self) @ mat2
