"""Tensor.__getitem__ and __setitem__: indexing with integers, slices, None, masks and index tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._autograd.batched_tensor import BatchedTensor
from ..._autograd.tensor import Tensor, make
from ..._c10 import errors
from ..._c10.errors import typename
from ..._c10.operator_facts import composite
from ..._c10.warn_once import warn_program
from ..creation.from_data import infer_array
from ..registry import Array
from ..shape.clone_to import assigned, without_leading_ones
from ..shape.copy_fill_zero import copy_, fill_
from ..shape.slice_select import select, slice_
from ..shape.view_reshape import alias, expand, unsqueeze, view
from ..type_promotion import check_list
from .index_put import dims_of_index, index, index_put, index_put_


def _as_index(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return make(value._array.astype(np.bool_)) if _are_bytes(value) else value
    if isinstance(value, np.ndarray):
        return make(value)
    array = infer_array(value)
    return make(array if array.dtype.kind == "b" else array.astype(np.int64))


def _are_bytes(value: Any) -> bool:
    """Whether an index is a uint8 mask, which is deprecated."""
    array = value._array if isinstance(value, Tensor) else value
    return isinstance(array, np.ndarray) and array.dtype == np.uint8 and array.ndim > 0


def _warn_of_bytes(items: Sequence[Any]) -> None:
    """Emit torch's deprecation warning for each uint8 mask, which is converted to bool."""
    for _ in filter(_are_bytes, items):
        warn_program(
            "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
        )


def _specified(items: tuple[Any, ...]) -> int:
    count = 0
    for each in items:
        if each is None or each is Ellipsis or isinstance(each, bool):
            continue
        count += dims_of_index(each._array) if isinstance(each, Tensor) else 1
    return count


def _items(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return value
    if isinstance(value, (list, str)) and len(value) < 32 and any(map(_is_index_of_its_own, value)):
        warn_program(errors.INDEX_LIST_OF_INDICES)
        return tuple(value)
    return (value,)


def _is_index_of_its_own(value: Any) -> bool:
    return value is None or value is Ellipsis or isinstance(value, (slice, Tensor, np.ndarray, Sequence))


def _too_many(self: Tensor, value: Any) -> IndexError:
    """The error for more indices than dimensions."""
    if self._array.ndim == 0 and isinstance(value, slice):
        return IndexError("slice() cannot be applied to a 0-dim tensor.")
    if self._array.ndim == 0 and isinstance(value, int) and value:
        return IndexError(f"index {value} is out of bounds for dimension 0 with size 0")
    if self._array.ndim == 0 and isinstance(value, int):
        return IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
            "convert a 0-dim tensor to a number"
        )
    return IndexError(f"too many indices for tensor of dimension {self._array.ndim}")


def _apply(self: Tensor, value: Any) -> tuple[Tensor, list[Tensor | None]]:
    """Apply integers, slices and None as views; return the view, and the remaining index tensors for its dimensions."""
    items = _items(value)
    result, dim = self, 0
    remaining: list[Tensor | None] = []
    specified = _specified(items)
    if specified > self._array.ndim:
        raise _too_many(self, value)

    covered = 0  # dimensions that ``remaining`` indexes: a mask covers as many as it has

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
            index_with(_as_index(each))
        elif isinstance(each, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{type(each).__name__}'")
        else:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
                f"{typename(each)})"
            )
    return result, remaining


def _of_array(value: Array) -> Tensor:
    """A NumPy array used as index, as the bool, uint8 or int64 tensor that torch makes of it."""
    return make(value if value.dtype in (np.bool_, np.uint8) else value.astype(np.int64))


def _select(tensor: Tensor, dim: int, where: int, position: int) -> Tensor:
    n = tensor._array.shape[dim]
    if not -n <= where < n:  # the error names its position among the indices
        raise IndexError(f"index {where} is out of bounds for dimension {position} with size {n}")
    return select(tensor, dim, where)


def _slice(tensor: Tensor, dim: int, part: slice, whole_is_itself: bool = True) -> Tensor:
    step = 1 if part.step is None else _bound(part.step)
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


@composite(vmap="decompose")
def getitem(self: Tensor, value: Any) -> Tensor:
    """self[value]: views where integers, slices and None suffice, a copy where index tensors are used."""
    if isinstance(value, slice) and self._array.ndim:  # x[:] is a view, although it selects everything
        return _slice(self, 0, value, whole_is_itself=False)
    result, remaining = _apply(self, value)
    if remaining:
        _warn_of_bytes(value if isinstance(value, (tuple, list)) else (value,))
        return index(result, tuple(remaining))
    return alias(result) if result is self else result


@composite(vmap_unbatched="arithmetic")
def setitem(self: Tensor, where: Any, value: Any) -> None:
    """self[where] = value, recorded as a copy into a view or an index_put_."""
    source = assigned(self, value)
    if where is False:  # it selects nothing; torch checks nothing else
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
    """The values for index_put_: for a single mask and a single value torch calls masked_fill_, which casts the value."""
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
    """Assign to a view as torch does: copy_, fill_ from a 0-d source, or copy_ of the expanded source."""
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
    """Refused: elements cannot be deleted from a tensor."""
    raise TypeError("Tensor does not support deleting items")


def _as_called(
    self: Tensor, indices: Any, values: Tensor, accumulate: bool = False
) -> tuple[Tensor, tuple[Tensor, ...], Tensor, bool]:
    """The arguments of index_put as a program passes them, with all indices converted to tensors."""
    check_list(indices)
    given = tuple(_as_index(each) for each in indices)
    if accumulate or not given or not isinstance(values, Tensor):
        _warn_of_bytes(indices)
    else:
        values = _to_put(self, indices, given, values)
    return self, given, values, accumulate


getitem.__name__, setitem.__name__ = "__getitem__", "__setitem__"


def attach() -> None:
    """Attach __getitem__, __setitem__, __delitem__ and index_put to Tensor."""
    Tensor.index_put_ = composite(vmap_unbatched="by_name")(  # type: ignore[attr-defined]
        lambda self, indices, values, accumulate=False: index_put_(
            *_as_called(self, indices, values, accumulate)
        )
    )
    Tensor.__getitem__ = getitem  # type: ignore[method-assign]
    Tensor.__setitem__ = setitem  # type: ignore[method-assign]
    Tensor.__delitem__ = delitem  # type: ignore[attr-defined]
    Tensor.index_put = composite(vmap="decompose")(  # type: ignore[attr-defined]
        lambda self, indices, values, accumulate=False: index_put(
            *_as_called(self, indices, values, accumulate)
        )
    )
