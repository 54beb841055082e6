"""tensordot, inner, kron, vecdot, multi_dot, matrix_power, trace and cross."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._autograd.batched_tensor import BatchedTensor, make_batched, unwrap_batched, vmaps
from ..._autograd.tensor import Tensor, make
from ..._autograd.views import increment_version
from ..._c10.dtypes import is_half
from ..._c10.errors import need_fitting
from ..._c10.layout import contiguous_format
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import broadcast_shapes, existing_dim, wrap_dim, wrap_dims
from ..._c10.slots import on_first_use
from ..._c10.warn_once import warn_once
from ..creation.factories import eye, zeros_written
from ..indexing.index_select import index_fill
from ..registry import Array, op
from ..shape.view_reshape import _unsafe_view
from ..type_promotion import check_list
from .blas import dot, mm, vdot
from .matmul import matmul

# See Note [Slots].
inv: Callable[[Tensor], Tensor] = on_first_use("linalg_inv")
square: Callable[..., Any] = on_first_use("linalg_square")

# tensordot ----------------------------------------------------------------------------------------


def _contract(a: Tensor, b: Tensor, dims_a: Sequence[int], dims_b: Sequence[int]) -> Tensor:
    """at::tensordot: both permuted, flattened to matrices and multiplied."""
    need_fitting(a._array.dtype == b._array.dtype, "torch.tensordot")
    asked_a, asked_b = dims_a, dims_b
    first, second = a, b
    inner = 1
    for dim_a, dim_b in zip(dims_a, dims_b, strict=True):
        i, j = existing_dim(dim_a, a._array.ndim), existing_dim(dim_b, b._array.ndim)
        n, m = a._array.shape[i], b._array.shape[j]
        if m == 1:  # broadcast dimensions are summed right away
            first = first.sum(i, True, dtype=first.dtype)
        elif n == 1:
            second = second.sum(j, True, dtype=second.dtype)
        else:
            need_fitting(n == m, "torch.tensordot")
            inner *= n
    contracted_a, contracted_b = wrap_dims(dims_a, a._array.ndim), wrap_dims(dims_b, b._array.ndim)
    free_a = [i for i in range(a._array.ndim) if i not in contracted_a]
    free_b = [i for i in range(b._array.ndim) if i not in contracted_b]
    rest_a, rest_b = ([t._array.shape[i] for i in free] for t, free in ((first, free_a), (second, free_b)))
    rows, columns = int(np.prod(rest_a)), int(np.prod(rest_b))
    if rows == columns == 1:
        first, second = first.permute([*free_a, *asked_a]), second.permute([*asked_b, *free_b])
        if first.is_contiguous() and second.is_contiguous():
            flat = second.flatten()  # see Note [Right operands first]
            result = dot(first.flatten(), flat)
        else:
            squeezed = second.squeeze()
            result = (first.squeeze() * squeezed).sum(dtype=first.dtype)
    else:
        left = first.permute([*free_a, *asked_a]).reshape(rows, inner)
        result = mm(left, second.permute([*asked_b, *free_b]).reshape(inner, columns))
    return result.reshape([*rest_a, *rest_b])


@composite(variants="function", vmap="decompose", out=Out(copied=True))
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sum of products over the last dimensions of one and the first of the other, or over chosen ones."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (tuple, list)):
        dims_a, dims_b = (list(each) if isinstance(each, (tuple, list)) else [each] for each in dims)
    else:
        need_fitting(dims >= 0, "torch.tensordot")
        dims_a, dims_b = list(range(-dims, 0)), list(range(dims))
    need_fitting(all(isinstance(each, int) for each in (*dims_a, *dims_b)), "torch.tensordot")
    return _contract(a, b, dims_a, dims_b)


@composite(vmap="decompose", out=Out(copied=True))
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sum of products over the last dimension."""
    a, b = input._array.shape, other._array.shape
    if not a or not b:
        return input * other
    need_fitting(a[-1] == b[-1], "torch.inner")
    return _contract(input, other, [-1], [-1])


@composite(vmap="decompose", out=Out(operator="mul", contiguous=True))
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product."""
    ndim = max(input._array.ndim, other._array.ndim)
    a, b = ((1,) * (ndim - t._array.ndim) + t._array.shape for t in (input, other))
    wide_a = _unsafe_view(input, [n for m in a for n in (m, 1)])
    wide_b = _unsafe_view(other, [n for m in b for n in (1, m)])
    result: Tensor = _unsafe_view(wide_a * wide_b, [n * m for n, m in zip(a, b, strict=True)])
    return result


@composite(
    vmap="decompose",
    autocast="lower_precision_fp",
    operator="linalg_vecdot",
    name="vecdot",
    out=True,
)
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """torch.linalg.vecdot: inner products along a dimension."""
    need_fitting(x._array.dtype.kind in "fcV" and x.dtype is y.dtype, "linalg.vecdot")
    return vdot(x, y) if x._array.ndim == y._array.ndim == 1 else (x.conj() * y).sum(dim)


# Chains and powers of matrices --------------------------------------------------------------------


@composite(
    vmap="decompose",
    out=Out(operator="mm"),
)
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """torch.linalg.multi_dot: a product of matrices in the order that costs least."""
    check_list(tensors)
    matrices = list(tensors)
    n = len(matrices)
    need_fitting(n > 1, "linalg.multi_dot")
    shape: list[int] = []
    shapes = [each._array.shape for each in matrices]
    if len(shapes[0]) == 1:
        matrices[0] = matrices[0].unsqueeze(0)
    else:
        shape.append(shapes[0][0])
    if len(shapes[-1]) == 1:
        matrices[-1] = matrices[-1].unsqueeze(-1)
    else:
        shape.append(shapes[-1][1])
    result = _chain(
        matrices,
        _order([matrices[0]._array.shape[0], *(each._array.shape[1] for each in matrices)]),
        0,
        n - 1,
    )
    return result.view(shape)


def _order(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Where to split each part of a chain of matrices, so that the fewest multiplications are needed."""
    n = len(sizes) - 1
    cost = {(i, i): 0 for i in range(n)}
    split: dict[tuple[int, int], int] = {}
    if n == 3:  # if both orders cost the same, torch multiplies from the left
        a, b, c, d = sizes
        return {(0, 2): 0 if (a * c) * (b + d) > (b * d) * (a + c) else 1, (0, 1): 0, (1, 2): 1}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            for k in range(i, j):
                price = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if (i, j) not in cost or price < cost[i, j]:
                    cost[i, j], split[i, j] = price, k
    return split


def _chain(tensors: list[Tensor], split: dict[tuple[int, int], int], i: int, j: int) -> Tensor:
    if i == j:
        return tensors[i]
    k = split[i, j]
    right = _chain(tensors, split, k + 1, j)  # first: see Note [Right operands first]
    return mm(_chain(tensors, split, i, k), right)


@composite(variants="function", vmap="no_fallback", out=True)
def chain_matmul(*matrices: Any) -> Tensor:
    """torch.chain_matmul, the deprecated form of multi_dot."""
    check_list(matrices)
    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters.",
    )
    need_fitting(all(each._array.ndim == 2 for each in matrices), "torch.chain_matmul")
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(matrices)


@composite(
    vmap="decompose",
    out=Out(operator="matmul", contiguous=True),
)
def matrix_power(input: Tensor, n: int) -> Tensor:
    """The n-th power of a square matrix; a negative power is that of the inverse."""
    return _power(input, operator.index(n))


def _power(a: Tensor, n: int) -> Tensor:
    square("linalg.matrix_power", a)
    if n == 0:
        return a.clone(memory_format=contiguous_format).copy_(eye(a._array.shape[-1]))
    if n == 1:
        return a.clone(memory_format=contiguous_format)
    if n < 0:
        a, n = inv(a), -n
    if n == 3:
        return matmul(matmul(a, a), a)
    power: Tensor | None = None
    result: Tensor | None = None
    while n:
        n, bit = divmod(n, 2)
        power = a if power is None else matmul(power, power)
        if bit:
            result = power if result is None else matmul(result, power)
    assert result is not None
    return result


# trace and cross ----------------------------------------------------------------------------------


def _trace_backward(grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    if grad.__class__ is BatchedTensor and vmaps[grad._level].old:  # its rule of the old vmap
        value, dim = unwrap_batched(grad)
        whole = zeros_written((value._array.shape[dim], *shape), grad.dtype)
        whole.diagonal(0, 1, 2).copy_(value.unsqueeze(-1))
        return make_batched(whole, 0, grad._level)
    zeros = make(np.zeros(shape[0] * shape[1], grad._array.dtype))
    places = make(np.arange(min(shape)) * (shape[1] + 1))
    filled = index_fill(zeros, 0, places, grad)
    for _ in range(2):  # torch zeroes a new tensor and writes into it
        increment_version(filled)
    return filled.view(shape)


@op(
    "TraceBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    autocast="fp32",
    out=False,
    self=lambda grad, self_sym_sizes: _trace_backward(grad, self_sym_sizes),
)
def trace(self: Array) -> Array:
    """The sum of a matrix's diagonal."""
    need_fitting(self.ndim == 2 and self.dtype.kind != "b", "torch.trace")
    kind = np.dtype(np.int64) if self.dtype.kind in "iub" else self.dtype
    return np.asarray(np.trace(self, dtype=np.float32 if is_half(kind) else kind)).astype(kind, copy=False)


@op(
    "LinalgCrossBackward0",
    name="linalg_cross",
    complex="holomorphic",
    jvp="bilinear",
    elementwise=False,
    self=lambda grad, other, dim: _cross(other, grad, dim=dim),
    other=lambda grad, self, dim: _cross(grad, self, dim=dim),
)
def _cross(self: Array, other: Array, *, dim: int = -1) -> Array:
    sides = [each.shape[existing_dim(dim, each.ndim)] for each in (self, other)]
    fits = self.ndim == other.ndim and sides == [3, 3] and self.dtype == other.dtype
    need_fitting(fits, "linalg.cross")
    broadcast_shapes(self.shape, other.shape)
    x, y = (np.moveaxis(each, dim, 0) for each in np.broadcast_arrays(self, other))
    result = [x[i - 2] * y[i - 1] - x[i - 1] * y[i - 2] for i in range(3)]
    return np.ascontiguousarray(np.stack(result, wrap_dim(dim, self.ndim)))


@composite(vmap="decompose", out=True)
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """torch.linalg.cross: the cross product of vectors of length 3."""
    return _cross(input, other, dim=dim)


@composite(vmap="decompose", out=None)
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product; along the first dimension of length 3 unless one is named."""
    if dim is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim "
            "explicitly or simply "
            "use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross "
            "in a future "
            "release.",
        )
        dim = input._array.shape.index(3)
    return _cross(input, other, dim=dim)


PUBLIC = ("chain_matmul", "cross", "inner", "kron", "matrix_power", "tensordot", "trace")
