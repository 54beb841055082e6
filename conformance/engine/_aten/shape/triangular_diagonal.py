"""tril and triu; diag, diag_embed, diagflat, fill_diagonal_; vander."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10 import dtypes
from ..._c10.device import check_memory
from ..._c10.errors import unimplemented
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import wrap_dim
from ..creation.factories import finish
from ..registry import ROWS, Array, op
from .slice_select import diagonal_backward

# Triangles ----------------------------------------------------------------------------------------


def _triangle(name: str, node: str, function: Any, text: str) -> Any:
    def forward(self: Array, diagonal: int = 0) -> Array:
        if self.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return np.ascontiguousarray(function(self, diagonal))

    forward.__name__, forward.__doc__ = name, text
    return op(
        node,
        complex="holomorphic",
        jvp="auto_linear",
        vmap_inplace="fallback",
        inplace="method",
        overlap="allow",
        self=lambda grad, diagonal: getattr(grad, name)(diagonal),
    )(forward)


tril = _triangle("tril", "TrilBackward0", np.tril, "The lower triangle, zeros above it.")
triu = _triangle("triu", "TriuBackward0", np.triu, "The upper triangle, zeros below it.")


def _indices(name: str, lower: bool, text: str) -> Any:
    @composite(variants="function")
    def make_indices(
        row: int,
        col: int,
        offset: int = 0,
        *,
        dtype: Any = dtypes.int64,
        device: Any = None,
        layout: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
    ) -> Tensor:
        check_memory(device, pin_memory)
        for value, what in ((row, "row"), (col, "col")):
            if value < 0:
                raise RuntimeError(f"{what} must be non-negative, got{value}")
        kind = dtype or dtypes.int64
        if kind not in (dtypes.int64, dtypes.int32):
            raise unimplemented(name, kind.numpy)
        below = np.tri(row, col, offset if lower else offset - 1, bool)
        where = (below if lower else ~below).nonzero()
        return finish(np.array(where, kind.numpy), requires_grad)

    make_indices.__name__, make_indices.__doc__ = name, text
    return make_indices


tril_indices = _indices("tril_indices", True, "The indices of the lower triangle.")
triu_indices = _indices("triu_indices", False, "The indices of the upper triangle.")


# Diagonals ----------------------------------------------------------------------------------------


@op(
    "DiagEmbedBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    out=False,
    kernel_writes=2,
    self=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
)
def diag_embed(self: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    """Matrices with the last dimension on their diagonals."""
    ndim = self.ndim + 1
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    n = self.shape[-1] + abs(offset)
    shape = list(self.shape[:-1])
    for axis in sorted((first, second)):
        shape.insert(axis, n)
    result = np.zeros(shape, self.dtype)
    found = np.diagonal(result, offset, first, second)
    found.flags.writeable = True
    found[...] = self
    return result


@op(
    "DiagonalBackward0_copy",
    complex="holomorphic",
    jvp="auto_linear",
    variants="function",
    out=Out(operator="aten::diagonal_copy"),
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: diagonal_backward(
        grad, self_sym_sizes, offset, dim1, dim2
    ),
)
def diagonal_copy(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """The diagonal of two dimensions, as a copy."""
    return ROWS["diagonal"].forward(self, offset, dim1, dim2).copy()


@composite(vmap="decompose", out=None)
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix, or the matrix of a diagonal."""
    ndim = input._array.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 2:
        return diagonal_copy(input, diagonal)
    return diag_embed(input, diagonal)


@composite(vmap="fallback")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements of the flattened tensor on its diagonal."""
    return diag_embed(input.contiguous().view(-1), offset)


@composite(vmap="fallback")
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Fill the main diagonal in place; with ``wrap``, that of a tall matrix restarts below where it ended."""
    ndim = self._array.ndim
    if ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    shape = self._array.shape
    if ndim > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    steps = self.stride()
    size = min(shape)
    self.as_strided((size,), (sum(steps),), self.storage_offset()).fill_(fill_value)
    if wrap and ndim == 2 and shape[0] > shape[1] + 1:
        begin = self.storage_offset() + (shape[1] + 1) * steps[0]
        rest = -(-shape[0] * shape[1] // (shape[1] + 1)) - size
        self.as_strided((rest,), (sum(steps),), begin).fill_(fill_value)
    return self


@composite(variants="function", vmap="fallback")
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector's elements, a column each."""
    if x._array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x._array.size if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    kind = dtypes.promote_types(x.dtype, dtypes.int64)
    result = finish(np.zeros((x._array.size, count), kind.numpy))
    if count > 0:
        result.select(1, 0).fill_(1)
    if count > 1:
        result[:, 1:].copy_(x.unsqueeze(1))
        result[:, 1:].copy_(result[:, 1:].cumprod(1))
    return result if increasing else result.flip(1)


PUBLIC = (
    "diag", "diag_embed", "diagflat", "diagonal_copy", "fill_diagonal_", "tril", "tril_indices", "triu",
    "triu_indices", "vander",
)  # fmt: skip
