"""Tensor.indices, values, coalesce, to_sparse and others (torch: native/sparse, FunctionsManual.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make, version_counter
from ..._autograd.undefined_gradient import unsupported
from ..._c10.errors import need_fitting
from ..._c10.layout import layout_of, sparse_coo, strided
from ..registry import ROWS, op
from .construction import coalesce_row, unsafe
from .elementwise import picked
from .kernels import no_kernel
from .sparse_array import Array, SparseArray, coo, dense, sparse


def _is_sparse(tensor: Tensor) -> bool:
    return isinstance(tensor._array, SparseArray)


def _need_sparse(self: Tensor, name: str, what: str = "sparse coordinate tensor") -> Any:
    if not _is_sparse(self):
        raise RuntimeError(f"{name} expected {what} layout but got Strided")
    return self._array


def _sparse_kernel(self: Tensor, name: str) -> Any:
    if not _is_sparse(self):
        raise NotImplementedError(no_kernel(f"aten::{name}", "CPU"))
    return self._array


# Indices and values -------------------------------------------------------------------------------


@op(
    "ValuesBackward0",
    name="_values_of",
    view="default",
    complex="as_written",
    self=lambda grad, self: unsafe(indices(self), grad, self._array.shape, True),
)
def _values_of(self: Any) -> Array:
    result: Array = self.values
    return result.view()


def indices(self: Tensor) -> Tensor:
    """The indices (sparse_dim, nnz) of a coalesced tensor.

    Raises:
        RuntimeError: it is not sparse, or not coalesced.
    """
    array = _need_sparse(self, "indices")
    if not array.coalesced:
        raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
    return _part(self, array.indices.view())


def values(self: Tensor) -> Tensor:
    """The values (nnz, *dense) of a coalesced tensor: a view of it.

    Raises:
        RuntimeError: it is not sparse, or not coalesced.
    """
    if not _need_sparse(self, "values", "sparse tensor").coalesced:
        raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
    result: Tensor = _values_of(self)
    return result


def _part(self: Tensor, array: Array) -> Tensor:
    """Indices or values of a tensor, detached, with the tensor's version counter."""
    result = make(array)
    result._inference = self._inference
    if not self._inference:
        result._version_counter = version_counter(self)
    return result


def raw_indices(self: Tensor) -> Tensor:
    """Tensor._indices: the indices, coalesced or not."""
    return _part(self, _sparse_kernel(self, "_indices").indices.view())


def raw_values(self: Tensor) -> Tensor:
    """Tensor._values: the values, coalesced or not, detached."""
    return _part(self, _sparse_kernel(self, "_values").values.view())


def nnz(self: Tensor) -> int:
    """The number of values."""
    result: int = _sparse_kernel(self, "_nnz").nnz
    return result


def coalesce(self: Tensor) -> Tensor:
    """The tensor itself if it is coalesced; otherwise a coalesced one: sorted unique indices, values added up."""
    if _need_sparse(self, "coalesce").coalesced:
        return self
    result: Tensor = coalesce_row(self)
    return result


def is_coalesced(self: Tensor) -> bool:
    """Whether the tensor is marked as coalesced: indices sorted and unique."""
    return bool(_need_sparse(self, "is_coalesced").coalesced)


def sparse_dim(self: Tensor) -> int:
    """The number of sparse dimensions."""
    return self._array.sparse_dim if _is_sparse(self) else 0  # type: ignore[attr-defined]


def dense_dim(self: Tensor) -> int:
    """The number of dense dimensions: those of the values after the first."""
    return self._array.ndim - sparse_dim(self)


# Conversions between layouts ----------------------------------------------------------------------


@op("ToSparseBackward1", name="_to_sparse", jvp="not_implemented", self=lambda grad: grad.to_dense())
def _to_sparse(self: Array) -> Any:
    return sparse(self)


@op(
    "ToSparseBackward0",
    name="_to_sparse_dim",
    operator="_to_sparse",
    jvp="not_implemented",
    self=lambda grad: grad.to_dense(),
)
def _to_sparse_dim(self: Array, _sparse_dim: int) -> Any:
    return sparse(self, _sparse_dim)


def to_sparse(
    self: Tensor, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None, dense_dim: Any = None,
    sparseDim: Any = None,
) -> Tensor:  # fmt: skip
    """The nonzero elements as a sparse tensor with ``sparse_dim`` sparse dimensions; a sparse tensor unchanged."""
    if sparse_dim is None:
        sparse_dim = sparseDim
    if layout not in (None, sparse_coo):
        raise NotImplementedError(f"Tensor.to_sparse(layout={layout})")
    if _is_sparse(self):
        need_fitting(sparse_dim in (None, self._array.sparse_dim), "Tensor.to_sparse")  # type: ignore[attr-defined]
        return self
    ndim = self._array.ndim
    result: Tensor
    if sparse_dim is None and dense_dim is None:
        result = _to_sparse(self)
        return result
    if sparse_dim is None:
        sparse_dim = ndim - dense_dim
    need_fitting(min(1, ndim) <= sparse_dim <= ndim, "Tensor.to_sparse")
    result = _to_sparse_dim(self, sparse_dim)
    return result


@op(
    "ToDenseBackward0",
    name="_to_dense",
    complex="as_written",
    self=lambda grad, self, _masked_grad: (
        grad.sparse_mask(self.coalesce())
        if _masked_grad in (None, True)
        else grad.to_sparse(self._array.sparse_dim)
    ),
)
def _to_dense(self: Any, _masked_grad: Any = None) -> Array:
    return dense(self)


def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor as a dense one; a dense tensor itself, or in another dtype."""
    if not _is_sparse(self):
        return self if dtype is None else self.to(dtype)
    need_fitting(dtype is None, "Tensor.to_dense")
    result: Tensor = _to_dense(self, masked_grad)
    return result


@op(
    "SparseMaskBackward0",
    name="_sparse_mask",
    operator="sparse_mask",
    tensors="mask",
    complex="as_written",
    jvp="not_implemented",
    self=lambda grad, mask, _self_is_sparse: (
        _projection(grad, mask) if _self_is_sparse else _projection(grad, mask).to_dense()
    ),
)
def _sparse_mask(self: Any, mask: Any, _self_is_sparse: bool) -> Any:
    need_fitting(self.shape == mask.shape, "Tensor.sparse_mask")
    taken = picked(self, mask.indices) if _self_is_sparse else self[tuple(mask.indices)]
    result = coo(mask.indices.copy(), np.ascontiguousarray(taken), mask.shape)
    result.coalesced = mask.coalesced
    return result


_UNSUPPORTED = unsupported("_sparse_mask_projection")
_projection: Callable[..., Any] = op(
    "NotImplemented", name="_sparse_mask_projection", self=_UNSUPPORTED, mask=_UNSUPPORTED
)(lambda self, mask: ROWS["_sparse_mask"].forward(self, mask, isinstance(self, SparseArray)))


def sparse_mask(self: Tensor, mask: Tensor) -> Tensor:
    """The elements of a tensor at the indices of a sparse mask."""
    need_fitting(_is_sparse(mask), "Tensor.sparse_mask")
    result: Tensor = _sparse_mask(self, mask, _is_sparse(self))
    return result


def layout(self: Tensor) -> Any:
    """Tensor.layout: torch.strided or torch.sparse_coo."""
    return layout_of(self._array) if _is_sparse(self) else strided


METHODS: dict[str, Callable[..., Any]] = {
    "indices": indices, "values": values, "_indices": raw_indices, "_values": raw_values, "_nnz": nnz,
    "coalesce": coalesce, "is_coalesced": is_coalesced, "sparse_dim": sparse_dim,
    "_dimI": sparse_dim, "dense_dim": dense_dim, "_dimV": dense_dim, "to_sparse": to_sparse,
    "to_dense": to_dense, "sparse_mask": sparse_mask,
}  # fmt: skip
