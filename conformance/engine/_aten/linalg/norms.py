"""torch.linalg.matrix_norm, norm, cond and matrix_rank."""

from __future__ import annotations

import math
from typing import Any

from ..._autograd.tensor import Tensor
from ..._autograd.views import increment_version
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import wrap_dim
from ..creation.factories import scalar_tensor
from ..pointwise.where_clamp import where
from ..reduction.norm import vector_norm
from .checks import floating, matrix, square
from .decompositions import eigvalsh, svdvals
from .solve import inv_ex

_ORDERS = (2, 1, math.inf)


@composite(
    vmap="decompose",
    out=Out(copied=True),
)
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """torch.linalg.matrix_norm."""
    dtype = dtypes.parse_dtype("linalg_matrix_norm", dtype)
    name = "linalg.matrix_norm"
    matrix(name, A._array)
    dims = list(dim) if isinstance(dim, (tuple, list)) else [dim]
    if isinstance(ord, str) and ord not in ("fro", "nuc"):
        raise RuntimeError(f"{name}: Order {ord} not supported.")
    need_fitting(isinstance(ord, str) or abs(ord) in _ORDERS, name)
    by_values = ord == "nuc" or ord in (2, -2)
    floating(name, A._array, by_values)
    first, second = (wrap_dim(d, A._array.ndim) for d in dims)
    need_fitting(first != second, name)
    if ord == "fro":
        return vector_norm(A, 2, (first, second), keepdim, dtype=dtype)
    if by_values:
        A = A if dtype is None else A.to(dtype)
        return _by_singular_values(A, ord, first, second, keepdim)
    if abs(ord) == math.inf:
        first, second = second, first
    if not keepdim and first < second:
        second -= 1
    sums = vector_norm(A, 1.0, [first], keepdim, dtype=dtype)
    return _extreme(sums, second, keepdim, ord)


def _extreme(values: Tensor, dim: int, keepdim: bool, order: float) -> Tensor:
    """The maximum or, for a negative order, the minimum; the maximum of an empty dimension is 0."""
    if order < 0:
        return values.amin(dim, keepdim)
    if values._array.shape[dim]:
        return values.amax(dim, keepdim)
    return values.new_empty(values._array.sum(dim, keepdims=keepdim).shape).zero_()


def _by_singular_values(a: Tensor, order: Any, first: int, second: int, keepdim: bool) -> Tensor:
    ndim = a._array.ndim
    order_of_dims = [d for d in range(ndim) if d not in (first, second)] + [first, second]
    values = svdvals(a.permute(order_of_dims))
    result = values.sum(-1, keepdim) if order == "nuc" else _extreme(values, -1, keepdim, order)
    if keepdim:
        back = [order_of_dims.index(d) for d in range(ndim)]
        result = result.unsqueeze(-1).permute(back)
    return result


@composite(vmap="decompose", out=Out(copied=True))
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """torch.linalg.norm: a matrix norm or a vector norm, by ``dim`` and ``ord``."""
    return _norm(A, ord, dim, keepdim, dtype)


def _norm(A: Tensor, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    dims = None if dim is None else list(dim) if isinstance(dim, (tuple, list)) else [dim]
    need_fitting(dims is None or len(dims) in (1, 2), "linalg.norm")
    if ord is not None and dims is None and A._array.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A._array.ndim}D."
        )
    if isinstance(ord, str):
        return matrix_norm(A, ord, (0, 1) if dims is None else dims, keepdim, dtype=dtype)
    if ord is not None and (len(dims) == 2 if dims is not None else A._array.ndim == 2):
        return matrix_norm(A, ord, (0, 1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm(A, 2.0 if ord is None else ord, dims, keepdim, dtype=dtype)


@composite(vmap="decompose", autocast="fp32", out=Out(copied=True))
def cond(A: Tensor, p: Any = None) -> Tensor:
    """torch.linalg.cond: the condition number in a norm."""
    orders = ("fro", "nuc") if isinstance(p, str) else (None, *_ORDERS)
    need_fitting(
        A._array.ndim >= 2 and (p if p is None or isinstance(p, str) else abs(p)) in orders, "linalg.cond"
    )
    if isinstance(p, str):
        square(f"linalg.cond(ord={p})", A)
    if not A._array.size:
        return A.new_empty(A._array.shape[:-2], dtype=A.dtype.to_real()).zero_()
    if p is None or (not isinstance(p, str) and abs(p) == 2):
        values = svdvals(A)
        n = values._array.shape[-1]
        largest, smallest = values.narrow(-1, 0, 1), values.narrow(-1, n - 1, 1)
        result = smallest / largest if p is not None and p < 0 else largest / smallest
        return result.squeeze(-1)
    square(f"linalg.cond(ord={p if isinstance(p, str) else format(p, 'g')})", A)
    if p == "nuc":
        values = svdvals(A)
        inverse_norm = values.reciprocal().sum(-1)  # see Note [Right operands first]
        return values.sum(-1) * inverse_norm
    norm = matrix_norm(A, p)
    inverse, info = inv_ex(A)
    # In place, as in torch: backward then raises an error, since the saved inverse was modified.
    inverse.masked_fill_(info.gt(0).unsqueeze(-1).unsqueeze(-1), math.inf)
    return (norm * matrix_norm(inverse, p)).nan_to_num_(math.inf, math.inf, -math.inf)


@composite(vmap="decompose", autocast="fp32", out=True)
def matrix_rank(
    A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:
    """torch.linalg.matrix_rank: how many singular values exceed the tolerance."""
    matrix("torch.linalg.matrix_rank", A._array, "input")
    a = A.detach()
    absolute, relative = atol if tol is None else tol, 0.0 if tol is not None else rtol
    if relative is None:
        need_epsilon(A)
    if not A._array.size:
        return A.new_empty(A._array.shape[:-2], dtype=dtypes.int64).zero_()
    values = eigvalsh(a).abs() if hermitian else svdvals(a)
    least = threshold(values, a, absolute, relative)
    rank = (values > least.unsqueeze(-1)).sum(-1)
    increment_version(rank)  # torch writes it into an out= tensor
    return rank


def need_epsilon(a: Tensor) -> None:
    """Refuse dtypes for which torch's kernel does not define the machine epsilon.

    Raises:
        RuntimeError: with torch's message.
    """
    if a.dtype.to_real().numpy not in dtypes.FULL_PRECISION:
        raise RuntimeError("This function doesn't handle types other than float and double")


def threshold(values: Tensor, a: Tensor, atol: Any, rtol: Any) -> Tensor:
    """The tolerance for singular values: the maximum of atol and rtol times the largest singular value."""
    absolute = (
        atol
        if isinstance(atol, Tensor)
        else scalar_tensor(0.0 if atol is None else atol, dtype=a.dtype.to_real())
    )
    if rtol is None:  # the default depends on atol
        epsilon = float(dtypes.float_limits(a._array.dtype).eps) * max(a._array.shape[-2:])
        rtol = where(
            absolute > 0,
            scalar_tensor(0.0, dtype=a.dtype.to_real()),
            scalar_tensor(epsilon, dtype=a.dtype.to_real()),
        )
    return (values.amax(-1) * rtol).maximum(absolute)
