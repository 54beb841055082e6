"""index_select, index_add, index_copy, index_fill and index_reduce, with a 1-d index; take and put."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes
from ..._c10.context import alert_not_deterministic
from ..._c10.errors import need_fitting, unimplemented
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import like_steps, wrap_dim
from ..._c10.warn_once import warn_once
from ..creation.factories import zeros, zeros_like
from ..inplace import run_inplace
from ..kernels import add_rows, need_reals, placed, refuse_bools
from ..registry import ROWS, Array, op
from ..scalar_operands import maybe_times
from .gather_scatter import add_along, at_least_1d, in_bounds
from .scatter_reduce import Places, reduce_at, reduce_backward


def _slices(array: Array, axis: int) -> Array:
    """The array with the axis moved to the front; a 0-d array as a single slice."""
    return np.moveaxis(array.reshape(1) if array.ndim == 0 else array, axis, 0)


# index_select -------------------------------------------------------------------------------------


def _index_select_backward(grad: Tensor, shape: tuple[int, ...], dim: Any, index: Tensor) -> Tensor:
    zeros = make(np.zeros(shape, grad._array.dtype))
    return placed(zeros, "index_add_", dim, index, grad)


@op(
    "IndexSelectBackward0",
    tensors="index",
    complex="holomorphic",
    jvp="auto_linear",
    out=Out(memory="separate"),
    self=lambda grad, self_sym_sizes, dim, index: _index_select_backward(grad, self_sym_sizes, dim, index),
)
def index_select(self: Array, dim: Any, index: Array) -> Array:
    """The slices that the index selects along a dimension."""
    axis = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    where = index.ravel()
    if self.ndim == 0:
        if where.size != 1:
            raise RuntimeError(
                f"index_select(): Index to scalar can have only 1 value, got {where.size} value(s)"
            )
        if where[0] != 0:
            raise IndexError("index out of range in self")
        return self.copy()
    n = self.shape[axis]
    if where.size and not n and self.ndim > 1:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if where.size and (where.min() < 0 or where.max() >= n):
        if axis == 1 or (not self.size and self.ndim > 1):  # torch uses another kernel in these cases
            wrong = where[(where < 0) | (where >= n)][0]
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={wrong} axis_dim={n}")
        raise IndexError("index out of range in self")
    return np.take(self, where, axis)


# index_add, index_copy, index_fill ----------------------------------------------------------------


def _read(grad: Tensor, dim: Any, index: Tensor, source: Tensor) -> Tensor:
    """The gradient of ``source``: that of the slices that were written."""
    if source._array.ndim:
        return grad.index_select(dim, index).expand_as(source)
    return grad.index_select(dim, index.squeeze(0))


def _others(array: Array, axis: int) -> tuple[int, ...]:
    """The shape without the axis."""
    return tuple(n for i, n in enumerate(array.shape) if i != axis)


def _check_put(name: str, self: Array, axis: int, index: Array, source: Array) -> Array:
    """The index as a vector that fits source and self, for index_add and index_reduce."""
    fits = index.dtype in (np.int64, np.int32) and index.ndim <= 1 and self.dtype == source.dtype
    fits = fits and self.ndim == source.ndim and _others(self, axis) == _others(source, axis)
    need_fitting(fits and index.size == (source.shape[axis] if source.ndim else 1), f"{name}_")
    return index.ravel()


def _refuse_outside(where: Array, n: int) -> None:
    if ((where < 0) | (where >= n)).any():
        raise IndexError("index out of range in self")


@op(
    "IndexAddBackward0",
    tensors="index",
    complex="holomorphic",
    jvp="auto_linear",
    overlap="refuse_inputs",
    kernel_writes=2,
    inplace="method",
    vmap_unbatched="by_name",
    self=lambda grad: grad,
    source=lambda grad, dim, index, source, alpha, source_dim: maybe_times(
        _read(grad, dim, index, source), alpha
    ),
)
def index_add(self: Array, dim: Any, index: Array, source: Array, *, alpha: Any = 1) -> Array:
    """A copy with alpha * source added, slice by slice, where the index says."""
    axis = wrap_dim(dim, self.ndim)
    where = _check_put("index_add", self, axis, index, source)
    if self.ndim < 2:
        _refuse_outside(where, self.size)
    in_bounds(where, axis, self.shape[axis] if self.ndim else 1)
    values = at_least_1d(source)
    if alpha != 1:
        values = values * self.dtype.type(dtypes.number_within(self.dtype, alpha))
    if axis == 0 and self.ndim and values.size:
        n = len(self)
        found = add_rows(values.reshape(len(where), -1), where, n, self.reshape(n, -1))
        return found.reshape(self.shape)
    result = self.copy("C")
    if values.size:
        add_along(result, axis, where.reshape(-1, *[1] * (values.ndim - 1 - axis)), values)
    return result


@op(
    "IndexCopyBackward0",
    tensors="index",
    complex="holomorphic",
    jvp="auto_linear",
    autocast="promote",
    vmap_inplace="fallback",
    overlap="refuse_inputs",
    inplace="method",
    self=lambda grad, dim, index: _index_fill(grad, dim, index, 0),
    source=lambda grad, dim, index, source, source_dim: _read(grad, dim, index, source),
)
def index_copy(self: Array, dim: Any, index: Array, source: Array) -> Array:
    """A copy with source written, slice by slice, where the index says."""
    axis = wrap_dim(dim, self.ndim)
    _check_copy(self, axis, index, source)
    where = index.ravel()
    result = self.copy("C")
    _slices(result, axis)[where] = _slices(source, axis)
    return result


def _check_copy(self: Array, axis: int, index: Array, source: Array) -> None:
    fits = index.dtype == np.int64 and index.ndim <= 1 and self.dtype == source.dtype
    fits = fits and (not (source.ndim and self.ndim) or source.ndim == self.ndim)
    fits = fits and _others(self, axis) == _others(source, axis)
    need_fitting(fits and index.size == (source.shape[axis] if source.ndim else 1), "index_copy_")
    n = self.shape[axis] if self.ndim else 1
    wrong = (index < 0) | (index >= n)
    if wrong.any():
        first = int(index[wrong].flat[0])
        raise IndexError(f"index_copy_(): index {first} is out of bounds for dimension {axis} with size {n}")


def _index_fill_forward(self: Array, dim: Any, index: Array, value: Any) -> Array:
    if index.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    axis = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    where = index.ravel()
    result = like_steps(self.copy("C"), self)
    target = _slices(result, axis)
    n = target.shape[0]
    wrong = (where < -n) | (where >= n)
    if wrong.any():
        raise IndexError(f"index {int(where[wrong][0])} is out of bounds for dimension {axis} with size {n}")
    target[where] = dtypes.number_within(self.dtype, value.item() if isinstance(value, np.ndarray) else value)
    return result


@op(
    "IndexFillBackward0",
    name="index_fill",
    tensors="index",
    overload="int_Scalar",
    complex="holomorphic",
    overlap="warn",
    vmap_unbatched="by_name",
    self=lambda grad, dim, index: _index_fill(grad, dim, index, 0),
)
def _index_fill(self: Array, dim: Any, index: Array, value: Any) -> Array:
    return _index_fill_forward(self, dim, index, value)


def _distinct(index: Tensor) -> Tensor:
    return make(np.unique(index._array))


@op(
    "IndexFillBackward1",
    name="index_fill_tensor",
    tensors="index",
    overload="int_Tensor",
    complex="holomorphic",
    handle_r_to_c=False,
    tangent_writes=0,
    operator="index_fill",
    self=lambda grad, dim, index: _index_fill(grad, dim, index, 0),
    value=lambda grad, dim, index: grad.index_select(dim, _distinct(index)).sum(),
)
def _index_fill_tensor(self: Array, dim: Any, index: Array, value: Array) -> Array:
    if value.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    return _index_fill_forward(self, dim, index, value)


def _fill_row(input: Tensor, value: Any) -> str:
    if (
        value.is_complex() if isinstance(value, Tensor) else isinstance(value, complex)
    ) and not input.is_complex():
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    return "index_fill_tensor" if isinstance(value, Tensor) else "index_fill"


@composite(vmap="decompose")
def index_fill(input: Tensor, dim: Any, index: Tensor, value: Any) -> Tensor:
    """A copy with one value in the slices that the index selects."""
    return ROWS[_fill_row(input, value)].call(input, dim, index, value)


@composite(vmap_unbatched="by_name")
def index_fill_(self: Tensor, dim: Any, index: Tensor, value: Any) -> Tensor:
    """index_fill in place."""
    return run_inplace(ROWS[_fill_row(self, value)], [self, dim, index, value])


# index_reduce -------------------------------------------------------------------------------------


_BY_SLICE = Places("index_select", "index_fill", "index_add", "index_reduce", "source", True)


@op(
    "IndexReduceBackward0",
    tensors="index",
    jvp="not_implemented",
    vmap="fallback",
    vmap_inplace="fallback",
    overlap="refuse_inputs",
    inplace="method",
    inputs={
        "self source": lambda grad, self, dim, index, source, reduce, include_self, result: reduce_backward(
            _BY_SLICE, grad, self, dim, index, source, reduce, include_self, result
        )
    },
)
def index_reduce(
    self: Array, dim: Any, index: Array, source: Array, reduce: str, *, include_self: bool = True
) -> Array:
    """A copy with source reduced into it, slice by slice, where the index says."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
        )
    axis = wrap_dim(dim, self.ndim)
    where = _check_put("index_reduce", self, axis, index, source)
    warn_once("index_reduce() is in beta and the API may change at any time.")
    _refuse_outside(where, self.shape[axis] if self.ndim else 1)
    if not include_self:
        need_reals("index_reduce_func_exclude_input_init", self)
    elif self.ndim <= 1:
        need_reals("index_func_", self)
    elif reduce == "mean" and where.size:
        refuse_bools("div_floor_cpu", self)
    elif reduce in ("amax", "amin") and self.dtype.kind == "c":
        raise unimplemented("maximum_cpu" if reduce == "amax" else "minimum_cpu", self.dtype)
    result = self.copy("C")
    target = _slices(result, axis)
    reduce_at(target, where, _slices(source, axis), reduce, include_self)
    return result


# take and put -------------------------------------------------------------------------------------


def _flat_index(name: str, index: Array, size: int) -> Array:
    need_fitting(index.dtype == np.int64 and (size or not index.size), name)
    wrong = (index < -size) | (index >= size)
    if wrong.any():
        raise IndexError(
            f"out of range: tried to access index {int(index[wrong][0])} on a tensor of {size} elements."
        )
    return index


@op(
    "TakeBackward0",
    tensors="index",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="fallback",
    out=Out(memory="separate"),
    self=lambda grad, self, index: zeros_like(self).put_(index, grad, True),
)
def take(self: Array, index: Array) -> Array:
    """The elements that the index selects from the flattened tensor."""
    return self.ravel()[_flat_index("take", index, self.size)]


@op(
    "PutBackward0",
    tensors="index",
    complex="holomorphic",
    tangent_writes=0,
    vmap="fallback",
    vmap_inplace="fallback",
    overlap="refuse_inputs",
    inplace="method",
    self=lambda grad, index, _source_sym_sizes, accumulate: (
        grad if accumulate else grad.put(index, zeros(_source_sym_sizes, dtype=grad.dtype), False)
    ),
    source=lambda grad, index, source: grad.take(index).reshape_as(source),
)
def put(self: Array, index: Array, source: Array, accumulate: bool = False) -> Array:
    """A copy with source written (or added) at indices of the flattened tensor."""
    if not accumulate:
        alert_not_deterministic("put_")
    need_fitting(index.size == source.size and self.dtype == source.dtype, "put_")
    where = _flat_index("put_", index, self.size).ravel()
    result = self.copy("C")
    flat = result.ravel()
    if accumulate:
        np.add.at(flat, where, source.ravel())
    else:
        flat[where] = source.ravel()
    return like_steps(result, self)


PUBLIC = (
    "index_add", "index_copy", "index_fill", "index_fill_", "index_reduce", "index_select", "put", "take",
)  # fmt: skip
