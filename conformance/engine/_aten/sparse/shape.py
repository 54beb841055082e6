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
    if a == b:
        return coo(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)
    need_fitting(min(a, b) < self.sparse_dim, "torch.transpose")
    order = list(range(self.ndim))
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
    """Sparse tensors joined: indices and values one after the other; along a dense dimension, values are padded."""
    shape, sparse = list(tensors[0].shape), tensors[0].sparse_dim
    at = wrap_dim(dim, len(shape))
    starts = np.cumsum([0, *(each.shape[at] for each in tensors)])
    shape[at] = int(starts[-1])
    for each in tensors:
        fits = isinstance(each, SparseArray) and each.shape == (*shape[:at], each.shape[at], *shape[at + 1 :])
        need_fitting(fits, "torch.cat")
    moves = np.arange(sparse)[:, None] == at
    indices = [each.indices + moves * start for each, start in zip(tensors, starts[:-1], strict=True)]
    values = [each.values for each in tensors]
    if at >= sparse:
        whole = np.zeros((sum(each.nnz for each in tensors), *shape[sparse:]), values[0].dtype)
        row = 0
        for each, start in zip(values, starts[:-1], strict=True):
            place = np.moveaxis(whole[row : row + len(each)], at - sparse + 1, 0)[start:]
            place[: each.shape[at - sparse + 1]] = np.moveaxis(each, at - sparse + 1, 0)
            row += len(each)
        values = [whole]
    return coo(np.concatenate(indices, 1), np.concatenate(values), tuple(shape))


@kernel("stack")
def _stack(tensors: Any, dim: Any = 0) -> Any:
    return cat([unsqueeze(each, dim) for each in tensors], wrap_dim(dim, tensors[0].ndim + 1))
