"""Square brackets: reading and writing through integers, slices, None, masks and index tensors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .. import errors
from ..batching import BatchedTensor
from ..creation import zeros_like
from ..dtypes import BY_NUMPY, NUMBERS, number_within
from ..errors import typename, wrong_type
from ..from_data import infer_array
from ..inplace import is_free, lies_apart, run_inplace, warn_of_overlap, write
from ..modes import state
from ..operands import check_list, check_recorded, plain_number
from ..rows import ROWS, Array, op
from ..shapes import laid_out, like_steps, ordered, viewed
from ..tensor import Tensor, make
from ..transforms import transforms
from .copying import assigned, without_leading_ones
from .kernels import MANY, add_rows
from .shape import alias, expand, unsqueeze, view
from .slicing import select, slice_


def _numpy_index(indices: Any) -> tuple[Any, ...]:
    return tuple(slice(None) if each is None else each for each in indices)


def _check_indices(shape: tuple[int, ...], indices: Any) -> None:
    """Refuse index tensors that cannot meet, or name no element of a tensor of that shape.

    Raises:
        IndexError: what is wrong with the first; of places beyond the end only when all else is right.
    """
    if len(indices) > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {len(indices)})")
    dim = ordinal = 0
    places: list[tuple[int, int, Array]] = []  # torch counts the indexed dimensions only
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
    _broadcastable(indices)
    for dim, ordinal, each in places:
        n = shape[dim]
        wrong = each[(each < -n) | (each >= n)]
        if wrong.size and not n:
            raise IndexError("index is out of bounds for dimension with size 0")
        if wrong.size:
            raise IndexError(
                f"index {int(wrong.flat[0])} is out of bounds for dimension {ordinal} with size {n}"
            )


def _check_mask(shape: tuple[int, ...], mask: Array, dim: int) -> None:
    for i, n in enumerate(mask.shape):
        if dim + i >= len(shape):
            raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
        if shape[dim + i] != n:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {i} does not match the shape of the indexed tensor "
                f"{list(shape)} at index {dim + i}"
            )


def _broadcastable(indices: Any) -> None:
    asked: list[Array] = []
    for each in indices:
        if each is not None:
            asked += each.nonzero() if each.dtype.kind == "b" else [each]
    try:
        np.broadcast_shapes(*(each.shape for each in asked))
    except ValueError:
        named = ", ".join(str(list(each.shape)) for each in asked)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {named}"
        ) from None


@op(
    "IndexBackward0",
    lists="indices",
    self=lambda grad, self_sym_sizes, indices: index_backward(grad, self_sym_sizes, indices),
)
def index(self: Array, indices: Any) -> Array:
    """The elements that index tensors name."""
    _check_indices(self.shape, indices)
    found = ordered(self[_numpy_index(indices)])
    in_order = all(each is None or each.ndim < 2 or each.flags.c_contiguous for each in indices)
    return found if in_order and self.flags.c_contiguous else _in_order_of(found, self, indices)


def _in_order_of(found: Array, self: Array, indices: Any) -> Array:
    """What was read in the order in which it lies in ``self``; the dimensions of the indices in that of the indices.

    See Note [Order of an elementwise result] in shapes.py: of a dimension that is indexed ``self`` tells nothing there.
    """
    named = [n for each in indices for n in ([False] if each is None else [True] * _dims_of_index(each))]
    kept = [step for step, n in zip(self.strides, [*named, *[False] * self.ndim], strict=False) if not n]
    count = found.ndim - len(kept)
    first = named.index(True)
    if False in named[first : len(named) - named[::-1].index(True)]:  # apart: they come first
        first = 0
    operands = [as_strided(self, found.shape, (*kept[:first], *[0] * count, *kept[first:]))]
    for each in indices:
        for part in () if each is None else each.nonzero() if each.dtype.kind == "b" else (each,):
            own = np.broadcast_to(part, found.shape[first : first + count])
            operands.append(viewed(own, (*[1] * first, *own.shape, *[1] * (len(kept) - first))))
    return laid_out(found, *operands)


def index_backward(grad: Tensor, shape: tuple[int, ...], indices: Any) -> Tensor:
    """Zeros with the gradient added where it was read."""
    zeros = make(np.zeros(shape, grad._array.dtype))
    if state.before_mutation is not None:
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
    self=lambda grad, indices, accumulate: (
        grad if accumulate else index_put(grad, indices, make(np.zeros((), grad._array.dtype)), False)
    ),
    values=lambda grad, indices: index(grad, indices),
)
def index_put(self: Array, indices: Any, values: Array, accumulate: bool = False) -> Array:
    """A copy with ``values`` written, or added, where the index tensors say."""
    where = _numpy_index(indices)
    try:
        _check_indices(self.shape, indices)
    except IndexError as error:
        if "out of bounds" in str(error):  # torch finds that last
            _broadcastable(indices)
            _check_fits(values, _shape_named(self, where))
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
    """The shape of what an index names, wherever its numbers point."""
    first = tuple(
        each * 0 if isinstance(each, np.ndarray) and each.dtype.kind in "iu" else each for each in where
    )
    return np.empty([max(n, 1) for n in array.shape], np.bool_)[first].shape


def _check_fits(values: Array, shape: tuple[int, ...]) -> None:
    """Refuse values that do not broadcast to what the indices name."""
    try:
        np.broadcast_to(values, shape)
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of "
            f"shape {list(shape)}"
        ) from None


op("IndexPutImplBackward0", name="_index_put_impl", lists="indices", **ROWS["index_put"].formulas)(
    ROWS["index_put"].forward
)


def add_at(target: Array, where: Any, values: Array) -> None:
    """np.add.at, on flat memory, where it is much faster; of many rows as rows."""
    if not target.flags.c_contiguous:
        np.add.at(target, where, values)
        return
    index, *others = where
    if values.size >= MANY and _names_rows(index) and all(isinstance(each, slice) for each in others):
        n, width = len(target), target[0].size
        rows = np.broadcast_to(values, (*index.shape, *target.shape[1:])).reshape(-1, width)
        target[...] = add_rows(rows, index.reshape(-1) % n, n, target.reshape(n, width)).reshape(target.shape)
        return
    places = np.arange(target.size).reshape(target.shape)[where]
    np.add.at(target.reshape(-1), places.ravel(), np.broadcast_to(values, places.shape).ravel())


def _names_rows(index: Any) -> bool:
    return isinstance(index, np.ndarray) and index.dtype.kind == "i"


def _as_index(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return make(value._array.astype(np.bool_)) if _are_bytes(value) else value
    if isinstance(value, np.ndarray):
        return make(value)
    array = infer_array(value)
    return make(array if array.dtype.kind == "b" else array.astype(np.int64))


def _are_bytes(value: Any) -> bool:
    """Whether it is a mask of an old kind."""
    array = value._array if isinstance(value, Tensor) else value
    return isinstance(array, np.ndarray) and array.dtype == np.uint8 and array.ndim > 0


def _warn_of_bytes(items: Sequence[Any]) -> None:
    """What torch says of each mask of bytes, where it makes one of truth values."""
    for _ in filter(_are_bytes, items):
        warnings.warn(
            "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
            stacklevel=4,
        )


def _specified(items: tuple[Any, ...]) -> int:
    count = 0
    for each in items:
        if each is None or each is Ellipsis or isinstance(each, bool):
            continue
        count += _dims_of_index(each._array) if isinstance(each, Tensor) else 1
    return count


def _dims_of_index(array: Array) -> int:
    return array.ndim if array.dtype in (np.bool_, np.uint8) else 1


def _items(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return value
    if isinstance(value, (list, str)) and len(value) < 32 and any(map(_is_index_of_its_own, value)):
        warnings.warn(errors.INDEX_LIST_OF_INDICES, stacklevel=4)
        return tuple(value)
    return (value,)


def _is_index_of_its_own(value: Any) -> bool:
    return value is None or value is Ellipsis or isinstance(value, (slice, Tensor, np.ndarray, Sequence))


def _apply(self: Tensor, value: Any) -> tuple[Tensor, list[Tensor | None]]:
    """What plain indices leave of a tensor (views), and the index tensors that remain for it."""
    items = _items(value)
    result, dim = self, 0
    remaining: list[Tensor | None] = []
    specified = _specified(items)
    if specified > self._array.ndim:
        if self._array.ndim == 0 and isinstance(value, slice):
            check_recorded(ROWS["slice"], (self, 0, None, None, 1))
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        if self._array.ndim == 0 and isinstance(value, int) and value:
            raise IndexError(f"index {value} is out of bounds for dimension 0 with size 0")
        if self._array.ndim == 0 and isinstance(value, int):
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                "convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {self._array.ndim}")

    covered = 0  # dimensions that ``remaining`` stands for: a mask for as many as it has

    def index_with(tensor: Tensor) -> None:
        nonlocal dim, covered
        remaining.extend([None] * (dim - covered))
        remaining.append(tensor)
        dim += tensor._array.ndim if tensor._array.dtype.kind == "b" else 1
        covered = dim

    for position, each in enumerate(items):
        if each is None:
            result = unsqueeze(result, dim)
            dim += 1
        elif each is Ellipsis:
            dim += self._array.ndim - specified
        elif isinstance(each, bool):
            result = unsqueeze(result, dim)
            index_with(make(np.array([0] if each else [], np.int64)))
        elif isinstance(each, slice):
            result = _slice(result, dim, each)
            dim += 1
        elif (
            isinstance(each, Tensor)
            and each._array.ndim == 0
            and each._array.dtype.kind == "i"
            and each.__class__ is not BatchedTensor
        ):
            result = _select(result, dim, int(each._array), position)
        elif isinstance(each, Tensor) and each._array.ndim == 0 and each._array.dtype.kind in "bu":
            result = unsqueeze(result, dim)
            index_with(make(np.array([0] if each._array else [], np.int64)))
        elif hasattr(each, "__index__") and not isinstance(each, (Tensor, np.ndarray)):
            result = _select(result, dim, each.__index__(), position)
        elif isinstance(each, np.ndarray):
            return _apply(self, tuple(_of_array(i) if isinstance(i, np.ndarray) else i for i in items))
        elif isinstance(each, (Tensor, list, tuple, range)):
            index_with(_as_index(list(each) if isinstance(each, range) else each))
        elif isinstance(each, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{type(each).__name__}'")
        else:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
                f"{typename(each)})"
            )
    return result, remaining


def _of_array(value: Array) -> Tensor:
    """numpy's array as the tensor of truth values, bytes or integers that torch makes of it."""
    return make(value if value.dtype in (np.bool_, np.uint8) else value.astype(np.int64))


def _select(tensor: Tensor, dim: int, where: int, position: int) -> Tensor:
    n = tensor._array.shape[dim]
    if not -n <= where < n:  # named by its position in the brackets
        raise IndexError(f"index {where} is out of bounds for dimension {position} with size {n}")
    return select(tensor, dim, where)


def _slice(tensor: Tensor, dim: int, part: slice, whole_is_itself: bool = True) -> Tensor:
    step = 1 if part.step is None else part.step.__index__()
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    n = tensor._array.shape[dim]
    start = 0 if part.start is None else _bound(part.start)
    end = 2**63 - 1 if part.stop is None else _bound(part.stop)
    if whole_is_itself and start == 0 and n <= end and step == 1:
        return tensor
    return slice_(tensor, dim, start, end, step)


def _bound(value: Any) -> int:
    if not hasattr(value, "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return value.__index__()


def getitem(self: Tensor, value: Any) -> Tensor:
    """self[value]: views where integers, slices and None suffice, a copy where index tensors are used."""
    if isinstance(value, slice) and self._array.ndim:  # alone, a slice of everything is a view all the same
        return _slice(self, 0, value, whole_is_itself=False)
    result, remaining = _apply(self, value)
    if remaining:
        _warn_of_bytes(value if isinstance(value, (tuple, list)) else (value,))
        return index(result, tuple(remaining))
    return alias(result) if result is self else result


def setitem(self: Tensor, where: Any, value: Any) -> None:
    """self[where] = value, recorded as a copy into a view or an index_put_."""
    source = assigned(self, value)
    if where is False:  # which names nothing; torch looks no further
        return
    if where is True:
        _copy_to(unsqueeze(self, 0), source)
        return
    result, remaining = _apply(self, where)
    if not remaining:
        _copy_to(result, source)
        return
    source = without_leading_ones(source)
    index_put_(result, tuple(remaining), _to_put(result, where, remaining, source))


def _to_put(self: Tensor, where: Any, indices: Sequence[Tensor | None], values: Tensor) -> Tensor:
    """The values as they are put: torch fills with one where a mask says so, in the tensor's own dtype.

    Raises:
        RuntimeError: the mask is of bytes; it fills by truth values alone.
    """
    items = where if isinstance(where, (tuple, list)) else (where,)
    *before, last = indices
    fills = values._array.size == 1 and last is not None and last._array.dtype.kind == "b"
    if not fills or any(each is not None for each in before):
        _warn_of_bytes(items)
        return values
    mask, dim = last._array, len(before)  # type: ignore[union-attr]
    if mask.shape == self._array.shape[dim : dim + mask.ndim] and any(map(_are_bytes, items)):
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    return values if values._array.dtype == self._array.dtype else values.to(self.dtype)


def _copy_to(target: Tensor, source: Tensor) -> None:
    """What torch does for a plain assignment: copy, fill from a 0-d source, or expand first."""
    shape = source._array.shape
    if shape == target._array.shape:
        copy_(target, source)
        return
    if not shape:
        fill_(target, source)
        return
    source = without_leading_ones(source) if shape[0] == 1 else view(source, shape)
    copy_(
        target, source if source._array.shape == target._array.shape else expand(source, target._array.shape)
    )


def delitem(self: Tensor, where: Any) -> None:
    """Refused: a tensor has no fewer elements than it had."""
    raise TypeError("Tensor does not support deleting items")


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """index_put in place."""
    array = self._array
    before = array.copy() if accumulate and 0 in array.strides and not transforms.count else None
    run_inplace(ROWS["index_put"], [self, tuple(indices), values, accumulate])
    if before is not None:  # elements may share memory, in which torch adds one number after the other
        array[...] = before
        add_at(array, _numpy_index(tuple(indices)), values._array)
    if (
        len(indices) == 1
        and indices[0]._array.dtype.kind == "b"
        and values._array.size == 1
        and not accumulate
    ):
        warn_of_overlap("masked_fill", self._array)  # torch goes on to it
    return self


def copy_(self: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Overwrite the tensor with another's values, or with a number, in its own dtype.

    Raises:
        TypeError: it is neither.
        OverflowError: an integer of more than 64 bits.
    """
    if not isinstance(other, Tensor):
        number = plain_number(other)
        if number.__class__ not in NUMBERS:
            raise wrong_type("copy_", "other", "Tensor", other, 1)
        if number.__class__ is int:
            number.to_bytes(8, "little", signed=number < 0)  # which says what torch says
        other = make(np.asarray(number))  # in double precision, and cast like any tensor
    if is_free(self) and lies_apart(self, other):  # see Note [Written at once]
        write(self, other._array)
        return self
    return run_inplace(ROWS["copy"], [self, other])


@op("FillBackward2", name="fill", self=lambda grad: make(np.zeros(grad._array.shape, grad._array.dtype)))
def _fill(self: Array, value: Any) -> Array:
    return np.full(self.shape, number_within(self.dtype, value), self.dtype)


@op(
    "FillBackward3",
    name="fill_tensor",
    self=lambda grad: make(np.zeros(grad._array.shape, grad._array.dtype)),
    value=lambda grad: grad.sum(),
)
def _fill_tensor(self: Array, value: Array) -> Array:
    if value.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
        )
    return np.full(self.shape, value, self.dtype)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Every element the same number."""
    if value.__class__ in (int, float) and is_free(self):  # see Note [Written at once]
        write(self, number_within(self._array.dtype, value))
        return self
    if isinstance(value, Tensor):
        return run_inplace(ROWS["fill_tensor"], [self, value])
    if self._array.dtype.kind == "b" and isinstance(value, float):
        value = bool(value)
    return run_inplace(ROWS["fill"], [self, value])


_FILLED = op("FillBackward0", name="fill_copy", **ROWS["fill"].formulas)(ROWS["fill"].forward)
_FILLED_TENSOR = op("FillBackward1", name="fill_tensor_copy", **ROWS["fill_tensor"].formulas)(
    ROWS["fill_tensor"].forward
)


def fill(input: Tensor, value: Any) -> Tensor:
    """A copy with every element the same number."""
    return (_FILLED_TENSOR if isinstance(value, Tensor) else _FILLED)(input, value)


@op("ZeroBackward0", name="zero", self=lambda grad: zeros_like(grad))
def _zero(self: Array) -> Array:
    return np.zeros(self.shape, self.dtype)


def zero_(self: Tensor) -> Tensor:
    """Every element 0."""
    if is_free(self):  # see Note [Written at once]
        write(self, 0)
        return self
    return run_inplace(ROWS["zero"], [self])


def _as_called(
    self: Tensor, indices: Any, values: Tensor, accumulate: bool = False
) -> tuple[Tensor, tuple[Tensor, ...], Tensor, bool]:
    """The arguments of index_put as a program gives them, with index tensors for what it may name by others."""
    check_list(indices)
    given = tuple(_as_index(each) for each in indices)
    if accumulate or not given or not isinstance(values, Tensor):
        _warn_of_bytes(indices)
    else:
        values = _to_put(self, indices, given, values)
    return self, given, values, accumulate


getitem.__name__, setitem.__name__ = "__getitem__", "__setitem__"


def attach() -> None:
    """The square brackets and the in-place writes, as Tensor methods."""
    for method in (copy_, fill_, zero_):
        setattr(Tensor, method.__name__, method)
    Tensor.index_put_ = lambda self, indices, values, accumulate=False: index_put_(  # type: ignore[attr-defined]
        *_as_called(self, indices, values, accumulate)
    )
    Tensor.__getitem__ = getitem  # type: ignore[method-assign]
    Tensor.__setitem__ = setitem  # type: ignore[method-assign]
    Tensor.__delitem__ = delitem  # type: ignore[attr-defined]
    Tensor.index_put = lambda self, indices, values, accumulate=False: index_put(  # type: ignore[attr-defined]
        *_as_called(self, indices, values, accumulate)
    )
