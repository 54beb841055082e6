"""The sparse kernels of sum, mm and addmm (torch: native/sparse/SparseTensorMath.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.errors import need_fitting
from ..._c10.shapes import wrap_dim
from ..kernels import check_multipliable
from ..registry import ROWS
from .kernels import kernel, to_copy
from .shape import unsqueeze
from .sparse_array import Array, SparseArray, coalesced, coo


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
    return coalesced(coo(whole.indices[kept], values, shape))


BOTH_SPARSE = "products of two sparse matrices"


def product(a: Any, b: Any, kind: np.dtype[Any]) -> Array:
    """The dense product of two matrices, one of which is sparse."""
    if isinstance(a, SparseArray) and isinstance(b, SparseArray):
        raise NotImplementedError(BOTH_SPARSE)
    if not isinstance(a, SparseArray):  # torch multiplies the transposed matrices
        b = coo(b.indices[::-1], b.values, b.shape[::-1])
        return product(b, a.T, kind).T
    result = np.zeros((a.shape[0], b.shape[1]), kind)
    np.add.at(result, a.indices[0], a.values[:, None] * b[a.indices[1]])
    return result


@kernel("mm")
def mm(self: Any, mat2: Any) -> Any:
    """The product of two matrices: sparse if both are."""
    check_multipliable(self, mat2)
    return product(self, mat2, self.dtype)


@kernel("addmm", "_sparse_addmm")
def addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * self + alpha * (mat1 @ mat2)."""
    check_multipliable(mat1, mat2)
    need_fitting(not isinstance(mat2, SparseArray), "torch.addmm")
    result = product(mat1, mat2, mat1.dtype) if isinstance(mat1, SparseArray) else mat1 @ mat2
    added = np.broadcast_to(self, result.shape)
    scaled = result if alpha == 1 else result * result.dtype.type(alpha)
    if beta == 0:
        return scaled
    return scaled + (added if beta == 1 else added * result.dtype.type(beta))
