"""torch.sparse.softmax and log_softmax, over the existing values only (torch: native/sparse/SoftMax.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import unsupported
from ..._c10.shapes import wrap_dim
from ..registry import op
from .elementwise import picked
from .kernels import no_kernel
from .sparse_array import Array, SparseArray, coalesced, coo


class _Rows:
    """The groups of values that are normalized together: those with the same indices except along the axis."""

    def __init__(self, whole: SparseArray, dim: int) -> None:
        self.axis = dim - whole.sparse_dim + 1  # of the values, if the dimension is dense
        others = np.delete(whole.indices, dim, 0) if 0 <= dim < whole.sparse_dim else whole.indices
        result = np.unique(others, axis=1, return_inverse=True)[1].reshape(-1)
        self.row, self.count = result, whole.nnz

    def total(self, values: Array) -> Array:
        """The sum of its row, for each value."""
        if self.axis > 0:
            return np.asarray(values.sum(self.axis, keepdims=True))
        result = np.zeros((self.count, *values.shape[1:]), values.dtype)
        np.add.at(result, self.row, values)
        return np.asarray(result[self.row])

    def highest(self, values: Array) -> Array:
        """The largest of its row, for each value."""
        if self.axis > 0:
            return np.asarray(values.max(self.axis, keepdims=True))
        result = np.full((self.count, *values.shape[1:]), -np.inf, values.dtype)
        np.maximum.at(result, self.row, values)
        return np.asarray(result[self.row])


def _normalized(self: Any, dim: int, logarithm: bool) -> Any:
    name = "_sparse_log_softmax" if logarithm else "_sparse_softmax"
    if not isinstance(self, SparseArray):
        raise NotImplementedError(no_kernel(f"aten::{name}", "CPU"))
    whole = coalesced(self)
    rows = _Rows(whole, wrap_dim(dim, self.ndim))
    highest = rows.highest(whole.values)
    weights = np.exp(whole.values - highest)
    total = rows.total(weights)
    values = (whole.values - highest) - np.log(total) if logarithm else weights * (1 / total)
    return coo(whole.indices.copy(), values, self.shape, True)


def _gradient(grad: Any, output: Any, dim: int, logarithm: bool) -> Any:
    """The gradient of both; torch does not wrap a negative dim here, and then treats each value as a group."""
    whole = coalesced(output)
    given, rows = picked(coalesced(grad), whole.indices), _Rows(whole, dim)
    if logarithm:
        values = given - np.exp(whole.values) * rows.total(given)
    else:
        values = whole.values * (given - rows.total(given * whole.values))
    return coo(whole.indices.copy(), values, output.shape, output.coalesced)


_NO_SECOND = {name: unsupported(f"_sparse_{name}_backward_data") for name in ("softmax", "log_softmax")}


@op(
    "NotImplemented",
    grad_output=_NO_SECOND["softmax"],
    output=_NO_SECOND["softmax"],
    self=_NO_SECOND["softmax"],
)
def _sparse_softmax_backward_data(grad_output: Any, output: Any, dim: int, self: Any) -> Any:
    return _gradient(grad_output, output, dim, False)


@op(
    "NotImplemented",
    grad_output=_NO_SECOND["log_softmax"],
    output=_NO_SECOND["log_softmax"],
    self=_NO_SECOND["log_softmax"],
)
def _sparse_log_softmax_backward_data(grad_output: Any, output: Any, dim: int, self: Any) -> Any:
    return _gradient(grad_output, output, dim, True)


@op(
    "SparseSoftmaxBackward0",
    self=lambda grad, self, result, dim: _sparse_softmax_backward_data(grad, result, dim, self),
)
def _sparse_softmax(self: Any, dim: int) -> Any:
    return _normalized(self, dim, False)


@op(
    "SparseLogSoftmaxBackward0",
    self=lambda grad, self, result, dim: _sparse_log_softmax_backward_data(grad, result, dim, self),
)
def _sparse_log_softmax(self: Any, dim: int) -> Any:
    return _normalized(self, dim, True)


def softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """torch.sparse.softmax along a dimension; missing elements count as minus infinity."""
    result: Tensor = _sparse_softmax(input if dtype is None else input.to(dtype), dim)
    return result


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """torch.sparse.log_softmax: the logarithm of softmax."""
    result: Tensor = _sparse_log_softmax(input if dtype is None else input.to(dtype), dim)
    return result
