"""torch.sparse.mm, addmm and sum: products and sums whose gradients are as sparse as their operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes
from ..._c10.shapes import wrap_dim
from ..blas.blas import mat2_grad
from ..registry import ROWS, op
from ..scalar_operands import maybe_times
from . import matrices
from .elementwise import picked
from .matrices import sum_over
from .sparse_array import SparseArray, coalesced, coo


def _mat1_sparse(grad: Tensor, mat1: Tensor, mat2: Tensor, alpha: Any) -> Tensor:
    """The gradient of a sparse left matrix, with its indices."""
    result = maybe_times(grad.mm(mat2.conj().t()), alpha)
    return result.sparse_mask(mat1.coalesce()) if mat1.is_sparse else result


@op(
    "SparseAddmmBackward0",
    name="_sparse_addmm",
    complex="as_written",
    jvp="not_implemented",
    self=lambda grad, beta: maybe_times(grad, beta),
    mat1=_mat1_sparse,
    mat2=lambda grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha: mat2_grad(
        grad, mat1.conj(), mat2_sym_sizes, mat2_sym_strides, alpha.conjugate()
    ),
)
def _sparse_addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    return matrices.addmm(self, mat1, mat2, beta=beta, alpha=alpha)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0) -> Tensor:
    """torch.sparse.addmm: beta * mat + alpha * (mat1 @ mat2); the gradient of a sparse mat1 has mat1's indices."""
    result: Tensor = _sparse_addmm(mat, mat1, mat2, beta=beta, alpha=alpha)
    return result


def mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """torch.sparse.mm: the product of two matrices; the gradient of a sparse one has its indices."""
    if reduce is not None:
        raise NotImplementedError("torch.sparse.mm with reduce")
    result: Tensor
    shape = mat1._array.shape[-2], mat2._array.shape[-1]
    if mat1.is_sparse and mat2.is_sparse:
        raise NotImplementedError(matrices.BOTH_SPARSE)
    if not mat1.is_sparse:
        start, left, right = (
            each.transpose(-2, -1) for each in (make(np.zeros(shape, mat1._array.dtype)), mat2, mat1)
        )
        result = _sparse_addmm(start, left, right, beta=0, alpha=1).transpose(-2, -1)
    else:
        result = _sparse_addmm(make(np.zeros(shape, mat2._array.dtype)), mat1, mat2, beta=0, alpha=1)
    return result


def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """torch.spmm, an alias of torch.mm."""
    result: Tensor = ROWS["mm"].call(input, mat2)
    return result


# Sums ---------------------------------------------------------------------------------------------


def _sum_backward(grad: Tensor, self: Tensor, dim: Any) -> Tensor:
    """The gradient of torch.sparse.sum, with the indices of its input."""
    whole: Any = coalesced(self._array)
    axes = {wrap_dim(each, whole.ndim) for each in dim}
    inner = tuple(1 + each - whole.sparse_dim for each in sorted(axes) if each >= whole.sparse_dim)
    kept = [each for each in range(whole.sparse_dim) if each not in axes]
    given: Any = grad._array
    if not kept:
        values = np.broadcast_to(given, (whole.nnz, *given.shape))
    else:
        if not isinstance(given, SparseArray):
            raise RuntimeError("_sparse_sum_backward_cpu: expected grad_ Tensor to be sparse, but got dense")
        values = picked(given, whole.indices[kept])
    for axis in inner:
        values = np.expand_dims(values, axis)
    values = np.broadcast_to(values, whole.values.shape)
    return make(coo(whole.indices.copy(), np.ascontiguousarray(values), whole.shape, True))


@op("SparseSumBackward0", name="_sparse_sum", self=_sum_backward)
def _sparse_sum(self: Any, dim: Any) -> Any:
    return sum_over(self, [wrap_dim(each, self.ndim) for each in dim])


def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """torch.sparse.sum: the sum of all values, or over dimensions; its gradient is sparse, with the input's indices.

    Raises:
        RuntimeError: the input is not sparse.
    """
    kind = dtypes.parse_dtype("sum", dtype)
    result: Tensor
    if dim is None:
        result = input.coalesce().values().sum(dtype=kind)
    else:
        axes = [dim] if isinstance(dim, int) else list(dim)
        result = _sparse_sum(input if kind is None else input.to(kind), axes)
    return result
