"""The sparse kernels of operations on shapes (torch: native/sparse/SparseTensor.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.shapes import wrap_dim
from .elementwise import promoted_dtype
from .kernels import kernel, no_kernel
from .sparse_array import Array, SparseArray, coo


@kernel("alias")
def _alias(self: SparseArray) -> Any:
    raise NotImplementedError("Cannot access storage of SparseTensorImpl")


@kernel("transpose")
def transpose(self: SparseArray, dim0: Any, dim1: Any) -> Any:
    """Two sparse dimensions exchanged."""
    a, b = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
    if max(a, b, -1) >= self.sparse_dim:
        raise RuntimeError(
            f"transpose: transposed dimensions must be sparse Got sparse_dim: {self.sparse_dim}, d0: {a}, d1: {b}"
        )
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
    if self.ndim > 2 or self.sparse_dim != self.ndim:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {self.sparse_dim} sparse and "
            f"{self.ndim - self.sparse_dim} dense dimensions"
        )
    return transpose(self, 0, 0 if self.ndim < 2 else 1)


@kernel("permute")
def _permute(self: SparseArray, dims: Any) -> Any:
    order = [wrap_dim(each, self.ndim) for each in dims]
    if len(order) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(order)}"
        )
    if any(each >= self.sparse_dim for each in order[: self.sparse_dim]):
        raise RuntimeError("permute(): transpositions between sparse and dense dimensions are not allowed.")
    shape = tuple(self.shape[each] for each in order)
    moved = [0, *(1 + each - self.sparse_dim for each in order[self.sparse_dim :])]
    result = coo(self.indices[order[: self.sparse_dim]], self.values.transpose(moved), shape)
    result.coalesced = self.coalesced and order[: self.sparse_dim] == list(range(self.sparse_dim))
    return result


@kernel("unsqueeze")
def unsqueeze(self: SparseArray, dim: Any) -> Any:
    """Insert a dimension of length 1: a sparse one, or a dense one after the sparse dimensions."""
    at = wrap_dim(dim, self.ndim + 1)
    shape = (*self.shape[:at], 1, *self.shape[at:])
    if at > self.sparse_dim:
        return coo(self.indices, np.expand_dims(self.values, at - self.sparse_dim + 1), shape, self.coalesced)
    return coo(np.insert(self.indices, at, 0, 0), self.values, shape)


@kernel("expand")
def _expand(self: SparseArray, size: Any) -> Any:
    raise RuntimeError("expand is unsupported for Sparse tensors")


@kernel("_reshape_alias", "view")
def _view(self: SparseArray, size: Any) -> Any:
    raise NotImplementedError(no_kernel("aten::view", "SparseCPU"))


@kernel("select")
def _select(self: SparseArray, dim: Any, index: Any) -> Any:
    at = wrap_dim(dim, self.ndim)
    n = self.shape[at]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {at}"
        )
    index = int(index) % n
    shape = (*self.shape[:at], *self.shape[at + 1 :])
    if at >= self.sparse_dim:
        return coo(
            self.indices,
            self.values[(slice(None),) * (at - self.sparse_dim + 1) + (index,)],
            shape,
            self.coalesced,
        )
    kept = self.indices[at] == index
    if self.sparse_dim == 1:
        return np.asarray(self.values[kept].sum(0, dtype=self.dtype))
    return coo(np.delete(self.indices, at, 0).compress(kept, 1), self.values[kept], shape)


@kernel("unbind")
def _unbind(self: SparseArray, dim: Any = 0) -> Any:
    return [_select(self, dim, each) for each in range(self.shape[wrap_dim(dim, self.ndim)])]


@kernel("index_select")
def _index_select(self: SparseArray, dim: Any, index: Array) -> Any:
    at = wrap_dim(dim, self.ndim)
    beyond = index[(index >= self.shape[at]) | (index < -self.shape[at])]
    if beyond.size:
        raise IndexError(
            f"index_select(): index contains {int(beyond[0])} that is out of range for tensor of size {list(self.shape)} "
            f"at dimension {at}"
        )
    shape = (*self.shape[:at], index.size, *self.shape[at + 1 :])
    if at >= self.sparse_dim:
        return coo(self.indices, self.values.take(index, at - self.sparse_dim + 1), shape, self.coalesced)
    new, old = np.nonzero(self.indices[at] == index.reshape(-1, 1))
    indices = np.ascontiguousarray(self.indices[:, old])
    indices[at] = new
    return coo(indices, self.values[old], shape)


@kernel("cat")
def _cat(tensors: Any, dim: Any, *rest: Any) -> Any:
    if not all(isinstance(each, SparseArray) for each in tensors):
        raise RuntimeError("Concatenating sparse tensors, but a dense tensor was found")
    first = tensors[0]
    at = wrap_dim(dim, first.ndim)
    kind = promoted_dtype(*tensors)
    shape = (*first.shape[:at], sum(each.shape[at] for each in tensors), *first.shape[at + 1 :])
    if at >= first.sparse_dim:
        raise NotImplementedError("torch.cat of sparse tensors along a dense dimension")
    indices, offset = [], 0
    for each in tensors:
        moved = each.indices.copy()
        moved[at] += offset
        indices.append(moved)
        offset += each.shape[at]
    return coo(
        np.concatenate(indices, 1), np.concatenate([each.values for each in tensors]).astype(kind), shape
    )


@kernel("stack")
def _stack(tensors: Any, dim: Any = 0) -> Any:
    return _cat([unsqueeze(each, dim) for each in tensors], wrap_dim(dim, tensors[0].ndim + 1))
