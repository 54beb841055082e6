"""The sparse kernels of elementwise binary operations (torch: native/sparse/SparseTensorMath.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.shapes import broadcast_shapes
from .kernels import kernel
from .sparse_array import Array, SparseArray, coalesced, coo, narrowed, places


def promoted_dtype(*operands: Any) -> np.dtype[Any]:
    """The dtype that the operands promote to."""
    shown = [
        np.broadcast_to(np.zeros((), e.dtype), e.shape) if isinstance(e, SparseArray) else e for e in operands
    ]
    return dtypes.result_dtype(*shown)


def _scale(values: Array, factor: Any) -> Array:
    return values if factor.__class__ is int and factor == 1 else values * values.dtype.type(factor)


@kernel("add", "add_scalar")
def add(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """self + alpha * other: sparse if both are; a dense and a sparse operand must come in this order."""
    if isinstance(self, SparseArray) and not isinstance(other, SparseArray):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    kind = promoted_dtype(self, other)
    if not isinstance(self, SparseArray):
        return _add_to_dense(np.asarray(self), other, alpha, kind)
    need_fitting(self.shape == other.shape, "torch.add")
    ours, theirs = self.values.astype(kind, copy=False), _scale(other.values.astype(kind, copy=False), alpha)
    if not other.nnz:
        return coo(self.indices.copy(), ours.copy(), self.shape, self.coalesced)
    if not self.nnz:
        return coo(other.indices.copy(), theirs.copy(), self.shape, other.coalesced)
    need_fitting(self.sparse_dim == other.sparse_dim, "torch.add")
    if self.values.flags.c_contiguous and other.values.flags.c_contiguous:
        return _merged(self, ours, other, theirs)
    together = np.concatenate([self.indices, other.indices], 1)
    result = coo(together, np.concatenate([ours, theirs]), self.shape)
    return coalesced(result) if result.nnz > result.size else result


def _add_to_dense(self: Array, other: SparseArray, alpha: Any, kind: np.dtype[Any]) -> Array:
    need_fitting(self.shape == other.shape, "torch.add")
    result = self.astype(kind)
    added = _scale(other.values.astype(kind, copy=False), alpha)
    np.add.at(result, tuple(other.indices) or ..., added if other.sparse_dim else added.sum(0))
    return result


def _merged(self: SparseArray, ours: Array, other: SparseArray, theirs: Array) -> Any:
    """Merge both by their indices, as if they were coalesced; values with equal indices are added."""
    a, b = places(self).tolist(), places(other).tolist()
    taken: list[tuple[int, int]] = []  # a column of each operand, or -1
    i = j = 0
    while i < len(a) or j < len(b):
        first = j == len(b) or (i < len(a) and a[i] <= b[j])
        second = i == len(a) or (j < len(b) and b[j] <= a[i])
        taken.append((i if first else -1, j if second else -1))
        i, j = i + first, j + second
    left, right = np.array(taken).T
    indices = np.where(left >= 0, self.indices[:, left], other.indices[:, right])
    shape = (-1, *[1] * (ours.ndim - 1))
    values = np.where((left >= 0).reshape(shape), ours[left], 0) + np.where(
        (right >= 0).reshape(shape), theirs[right], 0
    )
    space = self.nnz + other.nnz
    result = coo(narrowed(indices, space), values.astype(ours.dtype, copy=False), self.shape)
    result.coalesced = self.coalesced and other.coalesced
    return result


@kernel("sub", "sub_scalar")
def _sub(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    return add(self, other, alpha=-alpha)


@kernel("mul", "mul_scalar")
def mul(self: Any, other: Any) -> Any:
    """self * other: sparse, with the indices of a sparse operand."""
    if isinstance(self, SparseArray) and isinstance(other, SparseArray):
        return _intersection(self, other)
    if not isinstance(self, SparseArray):
        self, other = other, self
    kind = promoted_dtype(self, other)
    values = self.values.astype(kind, copy=False)
    if not np.ndim(other):
        return coo(self.indices.copy(), values * kind.type(other), self.shape, self.coalesced)
    if broadcast_shapes(other.shape, self.shape) != self.shape:
        raise NotImplementedError("products that broadcast a sparse tensor")
    factor = np.broadcast_to(other, self.shape)[tuple(self.indices)]
    return coo(self.indices.copy(), values * factor.astype(kind, copy=False), self.shape, self.coalesced)


def _intersection(self: SparseArray, other: SparseArray) -> Any:
    """The product of two sparse arrays: at the indices that both have, if both are coalesced.

    Otherwise it has the indices of one operand, with 0 where the other has no value: those of the uncoalesced one, or
    else of the one with fewer values, or of the second if they have equally many.
    """
    need_fitting(self.shape == other.shape and self.sparse_dim == other.sparse_dim, "torch.mul")
    kind = promoted_dtype(self, other)
    if self.coalesced and other.coalesced:
        _, ours, theirs = np.intersect1d(places(self), places(other), assume_unique=True, return_indices=True)
        values = self.values[ours].astype(kind) * other.values[theirs].astype(kind)
        return coo(narrowed(self.indices[:, ours], min(self.nnz, other.nnz)), values, self.shape, True)
    if self.coalesced != other.coalesced:
        table, source = (self, other) if self.coalesced else (other, self)
    else:
        table, source = (self, other) if self.nnz >= other.nnz else (other, self)
    factor = picked(table, source.indices).astype(kind, copy=False)
    return coo(source.indices.copy(), source.values.astype(kind) * factor, self.shape, source.coalesced)


def picked(array: SparseArray, indices: Array) -> Array:
    """The elements of a sparse array at these indices."""
    whole = coalesced(array)
    result = np.zeros((indices.shape[1], *whole.values.shape[1:]), array.dtype)
    if whole.nnz:
        wanted = places(coo(indices, result, array.shape))
        have = places(whole)
        where = np.minimum(np.searchsorted(have, wanted), whole.nnz - 1)
        there = have[where] == wanted
        result[there] = whole.values[where[there]]
    return result


@kernel("div", "div_scalar")
def _div(self: Any, other: Any) -> Any:
    need_fitting(not np.ndim(other), "torch.div")
    kind = promoted_dtype(self, other)
    kind = kind if kind.kind in "fcV" else dtypes.default.numpy
    return coo(self.indices.copy(), self.values.astype(kind) / kind.type(other), self.shape, self.coalesced)
