"""gather, take_along_dim, scatter and scatter_add: the index has as many dimensions as the tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10.dtypes import number_within
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import broadcast_shapes, existing_dim, wrap_dim
from ..._c10.slots import on_first_use
from ..inplace import run_inplace
from ..kernels import half_up, placed
from ..registry import ROWS, Array, op

of_gather: Callable[..., Tensor] = on_first_use("sparse_gradient_of_gather")  # see Note [Slots]


def index_dtype(name: str, index: Array) -> Array:
    """The index as 64-bit integers.

    Raises:
        RuntimeError: it has another dtype than int64 or int32.
    """
    if index.dtype == np.int64:
        return index
    if index.dtype == np.int32:
        return index.astype(np.int64)
    raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def _listed(shape: tuple[int, ...]) -> str:
    return str(list(shape))


def at_least_1d(array: Array) -> Array:
    return array.reshape(1) if array.ndim == 0 else array


def in_bounds(index: Array, dim: int, size: int) -> None:
    """Refuse an index outside the dimension.

    Raises:
        RuntimeError: torch's error for gather and scatter.
    """
    if index.size and (index.min() < 0 or index.max() >= size):
        first = int(index[(index < 0) | (index >= size)][0])
        raise RuntimeError(f"index {first} is out of bounds for dimension {dim} with size {size}")


def _window(shape: tuple[int, ...], axis: int) -> tuple[slice, ...]:
    """The part of an array that an index of this shape reaches: everything along the axis."""
    return tuple(slice(None) if i == axis else slice(n) for i, n in enumerate(shape))


def flat_places(shape: tuple[int, ...], axis: int, where: Array, part: tuple[int, ...]) -> Array:
    """The flat positions, in a contiguous array of ``shape``, of the elements that an index selects along an axis.

    ``part`` is the shape of those elements; ``where`` has it too, or 1 for other dimensions.
    """
    steps = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    offsets: Any = np.intp(0)
    for i, step in enumerate(steps):
        if i != axis:
            along = np.arange(part[i]) * step  # the step may be 0 in an empty array
            offsets = offsets + along.reshape(-1, *[1] * (len(shape) - 1 - i))
    return offsets + (where if steps[axis] == 1 else where * np.intp(steps[axis]))


def read_along(array: Array, axis: int, where: Array) -> Array:
    """The elements that ``where`` selects along an axis, contiguous; faster than np.take_along_axis for many."""
    if array.flags.c_contiguous:
        return array.ravel().take(flat_places(array.shape, axis, where, where.shape))
    return np.ascontiguousarray(np.take_along_axis(array[_window(where.shape, axis)], where, axis))


# gather -------------------------------------------------------------------------------------------


def _gathered(grad: Tensor, self: Tensor, dim: Any, index: Tensor, sparse_grad: bool) -> Tensor:
    if sparse_grad:
        return of_gather(grad, self, dim, index)
    return placed(make(np.zeros(self._array.shape, grad._array.dtype)), "scatter_add_", dim, index, grad)


@op(
    "GatherBackward0",
    tensors="index",
    complex="holomorphic",
    jvp="auto_linear",
    out=Out(memory="separate_self"),
    self=_gathered,
)
def gather(self: Array, dim: Any, index: Array, *, sparse_grad: bool = False) -> Array:
    """The elements that the index selects along a dimension."""
    axis = wrap_dim(dim, self.ndim)
    if index.size == 0:
        return np.zeros(index.shape, self.dtype)
    index = index_dtype("gather", index)
    source, where = at_least_1d(self), at_least_1d(index)
    if source.ndim != where.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for i, (n, m) in enumerate(zip(where.shape, source.shape, strict=True)):
        if i != axis and n > m:
            raise RuntimeError(
                f"Size does not match at dimension {i} expected index {_listed(index.shape)} to be no larger than self "
                f"{_listed(self.shape)} apart from dimension {axis}"
            )
    in_bounds(where, axis, source.shape[axis])
    return read_along(source, axis, where).reshape(index.shape)


@composite(vmap="decompose", out=Out(operator="take_along_dim"))
def take_along_dim(input: Tensor, indices: Tensor, dim: Any = None) -> Tensor:
    """gather with an index that broadcasts; without a dimension, from the flattened tensor."""
    if indices._array.dtype != np.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype.legacy}"
        )
    if dim is None:
        return gather(input.view(-1), 0, indices.view(-1))
    ndim = input._array.ndim
    if ndim != indices._array.ndim:
        raise RuntimeError(
            f"torch.take_along_dim(): input and indices should have the same number of dimensions, but got {ndim} "
            f"dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    axis = existing_dim(wrap_dim(dim, ndim), ndim)

    def others(shape: tuple[int, ...]) -> tuple[int, ...]:
        return (*shape[:axis], 1, *shape[axis + 1 :])

    a, b = input._array.shape, indices._array.shape
    common = broadcast_shapes(others(a), others(b))
    wide = input.expand((*common[:axis], *a[axis : axis + 1], *common[axis + 1 :]))
    where = indices.expand((*common[:axis], *b[axis : axis + 1], *common[axis + 1 :]))
    if ndim and a[axis]:  # an index outside wraps around, as remainder does
        where = ROWS["remainder"].call(where, a[axis])
    return gather(wide, axis, where)


# scatter ------------------------------------------------------------------------------------------


def checked(name: str, self: Array, dim: Any, index: Array, src: Array | None) -> tuple[int, Array]:
    """The dimension as a non-negative axis, and the index as int64, checked against self and src."""
    axis = wrap_dim(dim, self.ndim)
    if index.size:
        index = index_dtype("scatter", index)
    if src is not None and src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.size == 0:
        return axis, index
    where, target = at_least_1d(index), at_least_1d(self)
    if where.ndim != target.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if src is not None and at_least_1d(src).ndim != where.ndim:
        if src.ndim:
            wrap_dim(where.ndim - 1, src.ndim)
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    too_big = any(n > m for i, (n, m) in enumerate(zip(where.shape, target.shape, strict=True)) if i != axis)
    if src is not None and any(n > m for n, m in zip(where.shape, at_least_1d(src).shape, strict=True)):
        raise RuntimeError(
            f"Expected index {_listed(index.shape)} to be no larger than self {_listed(self.shape)} apart "
            f"from dimension {axis} and to be no larger size than src {_listed(src.shape)}"
        )
    if too_big:
        tail = "" if src is None else f" and to be no larger size than src {_listed(src.shape)}"
        raise RuntimeError(
            f"Expected index {_listed(index.shape)} to be no larger than self {_listed(self.shape)} apart "
            f"from dimension {axis}{tail}"
        )
    in_bounds(where, axis, target.shape[axis])
    return axis, where


def put_along(result: Array, axis: int, where: Array, values: Any) -> None:
    """Write values along the axis of a fresh contiguous array, in place."""
    target = at_least_1d(result)
    target.ravel()[flat_places(target.shape, axis, where, where.shape)] = values


def add_along(result: Array, axis: int, where: Array, values: Array) -> None:
    """Add values along the axis of a fresh contiguous array, in place; repeated indices add up in order.

    ``where`` has the values' shape, or 1 for other dimensions. np.add.at is fast for flat memory alone.
    """
    target = at_least_1d(result)
    flat = flat_places(target.shape, axis, where, values.shape)
    np.add.at(target.ravel(), flat.ravel(), np.ascontiguousarray(values).ravel())


def src_part(src: Array, where: Array) -> Array:
    return at_least_1d(src)[tuple(slice(n) for n in where.shape)]


@op(
    "ScatterBackward0",
    name="scatter",
    tensors="index",
    overload="src",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="scatter",
    vmap_inplace="fallback",
    overlap="refuse_inputs",
    kernel_writes=1,
    self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
    src=lambda grad, dim, index: grad.gather(dim, index),
)
def _scatter(self: Array, dim: Any, index: Array, src: Array) -> Array:
    axis, where = checked("scatter", self, dim, index, src)
    result = self.copy("C")
    if where.size:
        put_along(result, axis, where, src_part(src, where))
    return result


@op(
    "ScatterBackward1",
    name="scatter_value",
    tensors="index",
    overload="value",
    complex="holomorphic",
    vmap="scatter",
    vmap_inplace="fallback",
    kernel_writes=1,
    operator="scatter",
    self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
)
def _scatter_value(self: Array, dim: Any, index: Array, value: Any) -> Array:
    axis, where = checked("scatter", self, dim, index, None)
    result = self.copy("C")
    if where.size:
        put_along(result, axis, where, number_within(self.dtype, value))
    return result


def _given(src: Any, value: Any, reduce: Any) -> tuple[str, Any]:
    """The overload of scatter for these arguments, as a row's name, and what is written."""
    given = value if src is None else src
    if given is None:
        raise TypeError("no source")  # replaced by torch's message in the caller
    if reduce is not None:
        raise NotImplementedError("scatter(reduce=...)")  # torch has no derivative of it
    return ("scatter" if isinstance(given, Tensor) else "scatter_value"), given


@composite(vmap="decompose", out=True)
def scatter(
    input: Tensor, dim: Any, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    """A copy with src (a tensor or a number) written where the index says along a dimension."""
    name, given = _given(src, value, reduce)
    return ROWS[name].call(input, dim, index, given)


@composite(vmap_inplace="fallback")
def scatter_(
    self: Tensor, dim: Any, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    """scatter in place."""
    name, given = _given(src, value, reduce)
    return run_inplace(ROWS[name], [self, dim, index, given])


@op(
    "ScatterAddBackward0",
    tensors="index",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="scatter",
    overlap="refuse_inputs",
    inplace="method",
    vmap_unbatched="by_name",
    self=lambda grad: grad,
    src=lambda grad, dim, index: grad.gather(dim, index),
)
def scatter_add(self: Array, dim: Any, index: Array, src: Array) -> Array:
    """A copy with src added where the index says along a dimension."""
    axis, where = checked("scatter_add", self, dim, index, src)
    result = half_up(self.copy("C"))  # which accumulates halves in half precision, unlike index_add
    if where.size:
        add_along(result, axis, where, src_part(src, where))
    return result.astype(self.dtype, copy=False)


PUBLIC = ("gather", "scatter", "scatter_", "scatter_add", "take_along_dim")
