"""index and index_put, with and without accumulate (torch: native/TensorAdvancedIndexing.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..._autograd.batched_tensor import level_of
from ..._autograd.inplace_checks import warn_of_overlap
from ..._autograd.tensor import Tensor, make
from ..._c10.dtypes import BY_NUMPY
from ..._c10.interpreter_stack import transforms
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.shapes import laid_out, like_steps, ordered, viewed
from ..inplace import run_inplace
from ..kernels import MANY, add_rows
from ..registry import ROWS, Array, op


def _numpy_index(indices: Any) -> tuple[Any, ...]:
    return tuple(slice(None) if each is None else each for each in indices)


def _checked(shape: tuple[int, ...], indices: Any) -> Any:
    """The indices, which are refused if they do not broadcast, or are out of bounds for this shape.

    Where they select no elements, torch does not look at their values: then they are zeros.
    """
    if len(indices) > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {len(indices)})")
    dim = ordinal = 0
    places: list[tuple[int, int, Array]] = []  # torch numbers the indexed dimensions only
    for each in indices:
        if each is None:
            dim += 1
        elif each.dtype.kind == "b":
            _check_mask(shape, each, dim)
            dim += each.ndim
            ordinal += each.ndim
        elif each.dtype in (np.int64, np.int32):
            places.append((dim, ordinal, each))
            dim += 1
            ordinal += 1
        else:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    selected = _broadcastable(indices)
    whole = [n for n, own in zip(shape, _indexed(indices, len(shape)), strict=True) if not own]
    if 0 not in selected and any(not shape[dim] for dim, _, _ in places):
        raise IndexError("index is out of bounds for dimension with size 0")
    if 0 in selected or 0 in whole:
        return [each if each is None or each.dtype.kind == "b" else each * 0 for each in indices]
    for dim, ordinal, each in places:
        n = shape[dim]
        wrong = each[(each < -n) | (each >= n)]
        if wrong.size:
            raise IndexError(
                f"index {int(wrong.flat[0])} is out of bounds for dimension {ordinal} with size {n}"
            )
    return indices


def _indexed(indices: Any, rank: int) -> list[bool]:
    """Whether each dimension has an index."""
    found = [own for each in indices for own in ([False] if each is None else [True] * dims_of_index(each))]
    return found + [False] * (rank - len(found))


def _check_mask(shape: tuple[int, ...], mask: Array, dim: int) -> None:
    for i, n in enumerate(mask.shape):
        if dim + i >= len(shape):
            raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
        if shape[dim + i] != n:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {i} does not match the shape of the indexed tensor "
                f"{list(shape)} at index {dim + i}"
            )


def _broadcastable(indices: Any) -> tuple[int, ...]:
    """The shape that index tensors have together."""
    asked: list[Array] = []
    for each in indices:
        if each is not None:
            asked += each.nonzero() if each.dtype.kind == "b" else [each]
    try:
        return np.broadcast_shapes(*(each.shape for each in asked))
    except ValueError:
        named = ", ".join(str(list(each.shape)) for each in asked)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {named}"
        ) from None


@op(
    "IndexBackward0",
    lists="indices",
    overload="Tensor",
    complex="holomorphic",
    jvp="auto_linear",
    variants="method",
    self=lambda grad, self_sym_sizes, indices: index_backward(grad, self_sym_sizes, indices),
)
def index(self: Array, indices: Any) -> Array:
    """The elements that index tensors select."""
    indices = _checked(self.shape, indices)
    result = ordered(self[_numpy_index(indices)])
    in_order = all(each is None or each.ndim < 2 or each.flags.c_contiguous for each in indices)
    return result if in_order and self.flags.c_contiguous else _in_order_of(result, self, indices)


def dims_of_index(array: Array) -> int:
    """How many dimensions an index covers: a mask as many as it has, others one."""
    return array.ndim if array.dtype in (np.bool_, np.uint8) else 1


def _in_order_of(found: Array, self: Array, indices: Any) -> Array:
    """The result with its dimensions in memory ordered as in ``self``, and the index dimensions as in the indices.

    See Note [Strides of an elementwise result] in _c10/shapes.py; the strides of indexed dimensions do not count there.
    """
    named = [n for each in indices for n in ([False] if each is None else [True] * dims_of_index(each))]
    kept = [step for step, n in zip(self.strides, [*named, *[False] * self.ndim], strict=False) if not n]
    count = found.ndim - len(kept)
    first = named.index(True)
    if False in named[first : len(named) - named[::-1].index(True)]:  # not adjacent: they come first
        first = 0
    operands = [as_strided(self, found.shape, (*kept[:first], *[0] * count, *kept[first:]))]
    for each in indices:
        for part in () if each is None else each.nonzero() if each.dtype.kind == "b" else (each,):
            own = np.broadcast_to(part, found.shape[first : first + count])
            operands.append(viewed(own, (*[1] * first, *own.shape, *[1] * (len(kept) - first))))
    return laid_out(found, *operands)


def index_backward(grad: Tensor, shape: tuple[int, ...], indices: Any) -> Tensor:
    """The gradient of index: zeros, with the gradient added at the selected elements."""
    zeros = make(np.zeros(shape, grad._array.dtype))
    if state.before_mutation is not None or level_of((grad,)) >= 0:
        return index_put(zeros, tuple(indices), grad, True)
    return run_inplace(ROWS["_index_put_impl"], [zeros, tuple(indices), grad, True])


def _check_kind(self: Array, values: Array) -> None:
    if self.dtype != values.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{BY_NUMPY[self.dtype].legacy} for the destination and {BY_NUMPY[values.dtype].legacy} for the source."
        )


@op(
    "IndexPutBackward0",
    lists="indices",
    complex="holomorphic",
    tangent_writes=0,
    overlap="refuse_inputs warn",
    vmap_unbatched="by_name",
    self=lambda grad, indices, accumulate: (
        grad if accumulate else index_put(grad, indices, make(np.zeros((), grad._array.dtype)), False)
    ),
    values=lambda grad, indices: index(grad, indices),
)
def index_put(self: Array, indices: Any, values: Array, accumulate: bool = False) -> Array:
    """A copy with ``values`` written, or added, at the elements that the index tensors select."""
    try:
        where = _numpy_index(_checked(self.shape, indices))
    except IndexError as error:
        if "out of bounds" in str(error):  # torch checks that last
            _broadcastable(indices)
            _check_fits(values, _shape_named(self, _numpy_index(indices)))
            _check_kind(self, values)
        raise
    leads = len(values.shape) > 1 and values.shape[0] == 1  # numpy drops such dimensions when it writes
    if leads or self.dtype != values.dtype:
        _broadcastable(indices)
        _check_fits(values, self[where].shape)
        _check_kind(self, values)
    result = like_steps(self.copy(), self)
    try:
        if accumulate:
            add_at(result, where, values)
        else:
            result[where] = values
    except ValueError:
        _check_fits(values, result[where].shape)
        raise
    except IndexError:
        _broadcastable(indices)
        raise
    return result


def _shape_named(array: Array, where: Any) -> tuple[int, ...]:
    """The shape that an index selects, even if it is out of bounds."""
    first = tuple(
        each * 0 if isinstance(each, np.ndarray) and each.dtype.kind in "iu" else each for each in where
    )
    return np.empty([max(n, 1) for n in array.shape], np.bool_)[first].shape


def _check_fits(values: Array, shape: tuple[int, ...]) -> None:
    """Refuse values that do not broadcast to the shape that the indices select."""
    try:
        np.broadcast_to(values, shape)
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of "
            f"shape {list(shape)}"
        ) from None


op(
    "IndexPutImplBackward0",
    name="_index_put_impl",
    lists="indices",
    complex="holomorphic",
    **ROWS["index_put"].formulas,
)(ROWS["index_put"].forward)


def add_at(target: Array, where: Any, values: Array) -> None:
    """np.add.at on flat memory, which is much faster; many rows are added row by row."""
    if not target.flags.c_contiguous:
        np.add.at(target, where, values)
        return
    index, *others = where
    if values.size >= MANY and _names_rows(index) and all(isinstance(each, slice) for each in others):
        n, width = len(target), target[0].size
        rows = np.broadcast_to(values, (*index.shape, *target.shape[1:])).reshape(-1, width)
        target[...] = add_rows(rows, index.ravel() % n, n, target.reshape(n, width)).reshape(target.shape)
        return
    places = np.arange(target.size).reshape(target.shape)[where]
    np.add.at(target.ravel(), places.ravel(), np.broadcast_to(values, places.shape).ravel())


def _names_rows(index: Any) -> bool:
    return isinstance(index, np.ndarray) and index.dtype.kind == "i"


@composite(variants="function, method", vmap_unbatched="by_name")
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """index_put in place."""
    array = self._array
    before = array.copy() if accumulate and 0 in array.strides and not transforms.count else None
    run_inplace(ROWS["index_put"], [self, tuple(indices), values, accumulate])
    if before is not None:  # elements may share memory, and torch adds the values one by one
        array[...] = before
        add_at(array, _numpy_index(tuple(indices)), values._array)
    if (
        [each is not None and each._array.dtype.kind for each in indices] == ["b"]
        and values._array.size == 1
        and not accumulate
    ):
        warn_of_overlap("masked_fill", self._array)  # which torch calls
    return self
