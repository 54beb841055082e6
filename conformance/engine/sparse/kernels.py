"""The kernels of operations for sparse tensors, by row (torch: native/sparse/SparseTensorMath.cpp).

Each takes what the row's forward takes, of which some arrays are sparse, and gives a sparse array or one with all
elements, as torch's does. The nodes are those of the rows, whose formulas run these again on sparse gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from ..formats import type_name
from ..once import warn_program
from ..ops.kernels import check_multipliable
from ..shapes import broadcast_shapes, wrap_dim
from ..tensor import make
from .array import Array, SparseArray, coalesced, coo, dense, narrowed, places, zeros

if TYPE_CHECKING:
    from ..rows import Row

KERNELS: dict[str, Callable[..., Any]] = {}


def evaluated(row: Row, arguments: tuple[Any, ...], named: dict[str, Any], in_place: bool = False) -> Any:
    """What the kernel of a row gives, for a result of its own or to be written in place.

    Raises:
        NotImplementedError: there is none.
    """
    found = KERNELS.get(row.name.removesuffix("_in_place"))
    if found is not None:
        return found(*arguments, **named)
    if row.name in BY_VALUE:
        return _by_value(row, *arguments, **named)
    raise NotImplementedError(no_kernel(_aten(row, arguments, in_place), "SparseCPU"))


def no_kernel(name: str, backend: str) -> str:
    """What torch says of an operation that has no kernel; behind it comes what has."""
    return (
        f"Could not run '{name}' with arguments from the '{backend}' backend. This could be because the operator doesn't "
        "exist for this backend, or was omitted during the selective/custom build process (if using custom build). If you "
        "are a Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions."
    )


# What torch runs first where an operation is composed of others.
_RUNS = {
    "mean": "aten::mean.dim",
    "_in_order": "aten::clone",
    **dict.fromkeys(
        ("squeeze", "squeeze_dim", "squeeze_dims", "slice", "split", "diagonal", "narrow"), "aten::as_strided"
    ),
}


def _aten(row: Row, arguments: tuple[Any, ...], in_place: bool) -> str:
    from ..dispatch import operation

    if row.name in _RUNS:
        return _RUNS[row.name]
    given = tuple(make(each) if isinstance(each, (np.ndarray, SparseArray)) else each for each in arguments)
    return f"aten::{operation(row, given, in_place).name().removeprefix('aten::')}"


def kernel(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function the sparse kernel of these rows."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        KERNELS.update(dict.fromkeys(names, function))
        return function

    return declare


# One operand --------------------------------------------------------------------------------------

_FUNCTIONS = """
abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p nan_to_num rad2deg
relu round sgn sign signbit sin sinh sqrt tan tanh trunc
"""
BY_VALUE = frozenset(_FUNCTIONS.split())  # they are 0 at 0


def _by_value(row: Row, self: SparseArray, *others: Any, **named: Any) -> Any:
    """The function of each value; those at one place are added up before."""
    whole = coalesced(self)
    values = whole.values if row.meet == () or not row.to_float else _as_float(whole.values)
    return coo(whole.indices.copy(), row.forward(values, *others, **named), self.shape, True)


def _as_float(values: Array) -> Array:
    return values if values.dtype.kind in "fcV" else values.astype(dtypes.default.numpy)


@kernel("clone")
def _clone(self: SparseArray, memory_format: Any = None) -> Any:
    if memory_format is not None:
        name = repr(memory_format).removeprefix("torch.").removesuffix("_format").capitalize()
        raise RuntimeError(f"unsupported memory format option {name}")
    return coo(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)


@kernel("_in_order")
def _in_order(self: SparseArray) -> Any:
    raise RuntimeError("unsupported memory format option Contiguous")


@kernel("_to_copy", "_to_copy_integer")
def _to_copy(self: SparseArray, dtype: Any, memory_format: Any = None) -> Any:
    return coo(self.indices.copy(), self.values.astype(dtype.numpy), self.shape, self.coalesced)


@kernel("neg")
def _neg(self: SparseArray) -> Any:
    return coo(self.indices.copy(), -self.values, self.shape, self.coalesced)


@kernel("conj_physical")
def _conj_physical(self: SparseArray) -> Any:
    return coo(self.indices.copy(), self.values.conj(), self.shape, self.coalesced)


@kernel("pow")
def _pow(self: SparseArray, exponent: Any) -> Any:
    if exponent == 0:
        raise RuntimeError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense"
        )
    from ..rows import ROWS

    whole = coalesced(self)
    return coo(whole.indices.copy(), ROWS["pow"].forward(whole.values, exponent), self.shape, True)


@kernel("zero")
def _zero(self: SparseArray) -> Any:
    return zeros(self.shape, self.dtype, self.sparse_dim)


@kernel("threshold_backward")
def _threshold_backward(grad: Any, self: Any, threshold: Any) -> Any:
    if not (isinstance(grad, SparseArray) and isinstance(self, SparseArray)):
        raise NotImplementedError(no_kernel("aten::threshold_backward", "SparseCPU"))
    ours = coalesced(grad)
    return coo(ours.indices.copy(), ours.values * (picked(self, ours.indices) > threshold), grad.shape, True)


@kernel("any")
def _any(self: SparseArray, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is not None:
        raise NotImplementedError(no_kernel("aten::any.dim", "SparseCPU"))
    return np.asarray(self.values.any())


@kernel("norm")
def _norm(self: SparseArray, p: Any = 2, *rest: Any, **named: Any) -> Any:
    from ..rows import ROWS

    return ROWS["norm"].forward(coalesced(self).values, p, *rest, **named)


# Two operands -------------------------------------------------------------------------------------


def _kind(*operands: Any) -> np.dtype[Any]:
    """The dtype in which operands meet."""
    shown = [
        np.broadcast_to(np.zeros((), e.dtype), e.shape) if isinstance(e, SparseArray) else e for e in operands
    ]
    return dtypes.result_dtype(*shown)


def _scale(values: Array, factor: Any) -> Array:
    return values if factor.__class__ is int and factor == 1 else values * values.dtype.type(factor)


@kernel("add", "add_scalar")
def add(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """self + alpha * other: sparse if both are, else the first must have all its elements."""
    if isinstance(self, SparseArray) and not isinstance(other, SparseArray):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    kind = _kind(self, other)
    if not isinstance(self, SparseArray):
        return _add_to_dense(np.asarray(self), other, alpha, kind)
    if self.shape != other.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {list(self.shape)} != {list(other.shape)}"
        )
    ours, theirs = self.values.astype(kind, copy=False), _scale(other.values.astype(kind, copy=False), alpha)
    if not other.nnz:
        return coo(self.indices.copy(), ours.copy(), self.shape, self.coalesced)
    if not self.nnz:
        return coo(other.indices.copy(), theirs.copy(), self.shape, other.coalesced)
    if self.sparse_dim != other.sparse_dim:
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same density, but 'self' has {self.sparse_dim} sparse dimensions "
            f"while 'other' has {other.sparse_dim} sparse dimensions"
        )
    if self.values.flags.c_contiguous and other.values.flags.c_contiguous:
        return _merged(self, ours, other, theirs)
    together = np.concatenate([self.indices, other.indices], 1)
    found = coo(together, np.concatenate([ours, theirs]), self.shape)
    return coalesced(found) if found.nnz > found.size else found


def _add_to_dense(self: Array, other: SparseArray, alpha: Any, kind: np.dtype[Any]) -> Array:
    if self.shape != other.shape:
        raise RuntimeError(
            f"add: expected 'self' and 'other' to have same size, but self has size {list(self.shape)} while other has "
            f"size {list(other.shape)} (FYI: dense-sparse addition does not currently support broadcasting)"
        )
    found = self.astype(kind, copy=True)
    np.add.at(found, tuple(other.indices), _scale(other.values.astype(kind, copy=False), alpha))
    return found


def _merged(self: SparseArray, ours: Array, other: SparseArray, theirs: Array) -> Any:
    """Both one after the other in the order of their indices, as if they were coalesced; what meets is added up."""
    a, b = places(self).tolist(), places(other).tolist()
    taken: list[tuple[int, int]] = []  # a column of each, or -1
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
    found = coo(narrowed(indices, space), values.astype(ours.dtype, copy=False), self.shape)
    found.coalesced = self.coalesced and other.coalesced
    return found


@kernel("sub", "sub_scalar")
def _sub(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    return add(self, other, alpha=-alpha)


@kernel("rsub")
def _rsub(self: SparseArray, other: Any, alpha: Any = 1) -> Any:
    return add(np.asarray(other, _kind(self, other)), self, alpha=-alpha)


@kernel("mul", "mul_scalar")
def mul(self: Any, other: Any) -> Any:
    """self * other: sparse, at the places of one that is sparse."""
    if isinstance(self, SparseArray) and isinstance(other, SparseArray):
        return _intersection(self, other)
    if not isinstance(self, SparseArray):
        self, other = other, self
    kind = _kind(self, other)
    values = self.values.astype(kind, copy=False)
    if not np.ndim(other):
        return coo(self.indices.copy(), values * kind.type(other), self.shape, self.coalesced)
    if broadcast_shapes(other.shape, self.shape) != self.shape:
        raise NotImplementedError("products of a sparse tensor that is broadcast")
    factor = np.broadcast_to(other, self.shape)[tuple(self.indices)]
    return coo(self.indices.copy(), values * factor.astype(kind, copy=False), self.shape, self.coalesced)


def _intersection(self: SparseArray, other: SparseArray) -> Any:
    """The product where both have values, if they are coalesced.

    Otherwise it is at the places of one of the two, and 0 where the other has none: of the one that is not coalesced, or
    else of the one with fewer values, of equally many the second.
    """
    if self.shape != other.shape:
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse "
            "dimensions, and shape of sparse dimensions"
        )
    kind = _kind(self, other)
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
    """The elements of a sparse array at these places."""
    whole = coalesced(array)
    found = np.zeros((indices.shape[1], *whole.values.shape[1:]), array.dtype)
    if whole.nnz:
        wanted = places(coo(indices, found, array.shape))
        have = places(whole)
        where = np.minimum(np.searchsorted(have, wanted), whole.nnz - 1)
        there = have[where] == wanted
        found[there] = whole.values[where[there]]
    return found


@kernel("div", "div_scalar")
def _div(self: Any, other: Any) -> Any:
    if not isinstance(self, SparseArray) and not np.ndim(self):
        raise NotImplementedError(no_kernel("aten::reciprocal", "SparseCPU"))
    if np.ndim(other):
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(other.shape)} for divisor)"
        )
    kind = _kind(self, other)
    kind = kind if kind.kind in "fcV" else dtypes.default.numpy
    return coo(self.indices.copy(), self.values.astype(kind) / kind.type(other), self.shape, self.coalesced)


@kernel("copy")
def _copy(self: Any, src: Any) -> Any:
    if not (isinstance(self, SparseArray) and isinstance(src, SparseArray)):
        raise RuntimeError(
            "copy_() between dense and sparse Tensors is not implemented! Found self type = "
            f"{type_name(self)} and src type = {type_name(src)}"
        )
    return coo(src.indices.copy(), src.values.astype(self.dtype), src.shape, src.coalesced)


# Shapes -------------------------------------------------------------------------------------------


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
        return coo(self.indices, self.values, self.shape, self.coalesced)
    order[a], order[b] = b, a
    shape = tuple(self.shape[each] for each in order)
    found = coo(self.indices[order[: self.sparse_dim]], self.values.copy(), shape)
    found.coalesced = False
    return found


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
    found = coo(self.indices[order[: self.sparse_dim]], self.values.transpose(moved), shape)
    found.coalesced = self.coalesced and order[: self.sparse_dim] == list(range(self.sparse_dim))
    return found


@kernel("unsqueeze")
def unsqueeze(self: SparseArray, dim: Any) -> Any:
    """A dimension of length 1 put in: a sparse one, unless it is behind a dense one."""
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
    kind = _kind(*tensors)
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


# Sums and products --------------------------------------------------------------------------------


@kernel("sum")
def _sum(self: SparseArray, dtype: Any = None) -> Any:
    from ..rows import ROWS

    return ROWS["sum"].forward(coalesced(self).values, dtype)


@kernel("sum_dim")
def _sum_dim(self: SparseArray, dim: Any, keepdim: bool = False, dtype: Any = None) -> Any:
    array = self if dtype is None else _to_copy(self, dtype)
    given = (dim,) if isinstance(dim, int) else tuple(dim)
    axes = [wrap_dim(each, self.ndim) for each in given or range(self.ndim)]
    found = sum_over(array, axes)
    for axis in sorted(axes) if keepdim else ():
        found = unsqueeze(found, axis) if isinstance(found, SparseArray) else np.expand_dims(found, axis)
    return found


def sum_over(self: SparseArray, axes: list[int]) -> Any:
    """The sum over dimensions: an array with all elements where these are all the sparse ones."""
    whole = coalesced(self)
    inner = tuple(1 + each - self.sparse_dim for each in axes if each >= self.sparse_dim)
    values = whole.values.sum(inner, dtype=self.dtype) if inner else whole.values
    kept = [each for each in range(self.sparse_dim) if each not in axes]
    if not kept:
        return np.asarray(values.sum(0, dtype=self.dtype))
    shape = tuple(n for each, n in enumerate(self.shape) if each not in axes)
    if len(kept) == self.sparse_dim:
        return coo(whole.indices.copy(), values.copy(), shape, True)
    return coalesced(coo(whole.indices[kept], values, shape))


def product(a: Any, b: Any, kind: np.dtype[Any]) -> Array:
    """The product of two matrices, one of which is sparse, with all elements."""
    found = np.zeros((a.shape[0], b.shape[1]), kind)
    if isinstance(a, SparseArray):
        np.add.at(found, a.indices[0], a.values[:, None] * b[a.indices[1]])
    else:
        np.add.at(found.T, b.indices[1], b.values[:, None] * a.T[b.indices[0]])
    return found


CSR = (
    "Sparse CSR tensor support is in beta state. If you miss a functionality in the sparse tensor support, please submit "
    "a feature request to https://github.com/pytorch/pytorch/issues."
)


def sparse_product(a: SparseArray, b: SparseArray) -> Any:
    """The product of two sparse matrices, sparse; torch makes of them what it warns of."""
    for _ in (a, b):
        warn_program(CSR)
    wide, long = dense(a), dense(b)
    held = (dense(coo(a.indices, np.ones(a.nnz, np.int64), a.shape)) != 0).astype(np.int64)
    there = held @ (dense(coo(b.indices, np.ones(b.nnz, np.int64), b.shape)) != 0).astype(np.int64)
    indices = np.array(np.nonzero(there), np.int64)
    return coo(indices, (wide @ long)[tuple(indices)], (a.shape[0], b.shape[1]), True)


@kernel("mm")
def mm(self: Any, mat2: Any) -> Any:
    """The product of two matrices: sparse if both are."""
    if self.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"{'self' if self.ndim != 2 else 'mat2'} must be a matrix")
    _check_factors(self, mat2)
    if isinstance(self, SparseArray) and isinstance(mat2, SparseArray):
        return sparse_product(self, mat2)
    return product(self, mat2, self.dtype)


def _check_factors(a: Any, b: Any) -> None:
    if a.shape[1] != b.shape[0] and isinstance(a, SparseArray) and not isinstance(b, SparseArray):
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {a.shape[1]}, got {b.shape[0]}")
    check_multipliable(a, b)


@kernel("addmm", "_sparse_addmm")
def addmm(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * self + alpha * (mat1 @ mat2)."""
    _check_factors(mat1, mat2)
    sparse_factors = isinstance(mat1, SparseArray), isinstance(mat2, SparseArray)
    found = (
        sparse_product(mat1, mat2)
        if all(sparse_factors)
        else product(mat1, mat2, mat1.dtype)
        if any(sparse_factors)
        else mat1 @ mat2
    )
    if isinstance(found, SparseArray):
        return add(_scaled(self, beta), found, alpha=alpha)
    shape = np.broadcast_to(self, found.shape) if not isinstance(self, SparseArray) else self
    scaled = found if alpha == 1 else found * found.dtype.type(alpha)
    if beta == 0:
        return scaled
    return scaled + (shape if beta == 1 else shape * found.dtype.type(beta))


def _scaled(array: Any, factor: Any) -> Any:
    if factor == 1:
        return array
    return mul(array, factor) if isinstance(array, SparseArray) else array * array.dtype.type(factor)


@kernel("mv")
def _mv(self: SparseArray, vec: Array) -> Any:
    if self.ndim != 2 or self.shape[1] != vec.shape[0]:
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    return product(self, vec.reshape(-1, 1), self.dtype).reshape(-1)


@kernel("bmm")
def _bmm(self: Any, mat2: Any) -> Any:
    if not isinstance(self, SparseArray) or isinstance(mat2, SparseArray):
        raise NotImplementedError("torch.bmm whose second operand is sparse")
    return dense(self) @ mat2
