"""The sparse kernels of operations on shapes (torch: native/sparse/SparseTensor.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.errors import need_fitting
from ..._c10.shapes import wrap_dim
from .kernels import kernel
from .sparse_array import SparseArray, coo


@kernel("alias")
def _alias(self: SparseArray) -> Any:
    raise NotImplementedError("Cannot access storage of SparseTensorImpl")


@kernel("transpose")
def transpose(self: SparseArray, dim0: Any, dim1: Any) -> Any:
    """Two sparse dimensions exchanged."""
    a, b = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
    need_fitting(max(a, b, -1) < self.sparse_dim, "torch.transpose")
    order = list(range(self.ndim))
    if a == b:
        return coo(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)
    order[a], order[b] = b, a
    shape = tuple(self.shape[each] for each in order)
    result = coo(self.indices[order[: self.sparse_dim]], self.values.copy(), shape)
    result.coalesced = False
    return result


@kernel("t")
def _t(self: SparseArray) -> Any:
    need_fitting(self.ndim <= 2 and self.sparse_dim == self.ndim, "torch.t")
    return transpose(self, 0, 0 if self.ndim < 2 else 1)


@kernel("unsqueeze")
def unsqueeze(self: SparseArray, dim: Any) -> Any:
    """Insert a dimension of length 1: a sparse one, or a dense one after the sparse dimensions."""
    at = wrap_dim(dim, self.ndim + 1)
    shape = (*self.shape[:at], 1, *self.shape[at:])
    if at > self.sparse_dim:
        return coo(self.indices, np.expand_dims(self.values, at - self.sparse_dim + 1), shape, self.coalesced)
    return coo(np.insert(self.indices, at, 0, 0), self.values, shape)


@kernel("cat")
def cat(tensors: Any, dim: Any, _tensors_places: Any = ()) -> Any:
    """Sparse tensors joined along a sparse dimension: their indices and values one after the other."""
    shape, starts = list(tensors[0].shape), np.cumsum([0, *(each.shape[dim] for each in tensors)])
    moves = np.arange(tensors[0].sparse_dim)[:, None] == wrap_dim(dim, len(shape))
    indices = [each.indices + moves * start for each, start in zip(tensors, starts[:-1], strict=True)]
    shape[dim] = int(starts[-1])
    return coo(np.concatenate(indices, 1), np.concatenate([each.values for each in tensors]), tuple(shape))


@kernel("stack")
def _stack(tensors: Any, dim: Any = 0) -> Any:
    return cat([unsqueeze(each, dim) for each in tensors], wrap_dim(dim, tensors[0].ndim + 1))
