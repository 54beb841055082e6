"""The storage of an array, and resizing it (torch: c10/core/StorageImpl.h, native/Resize.h)."""

from __future__ import annotations

from ctypes import addressof, c_char
from sys import getrefcount
from typing import Any

import numpy as np

from .._c10.context import empty_array
from .._c10.layout import laid_out
from .._c10.shapes import strides
from .tensor import Tensor, set_array


class StorageBase:
    """The base class of all storages, see _aten/storage.py."""

    __module__ = "torch._C"

    def __init__(self, base: np.ndarray[Any, Any]) -> None:
        self._array = base


def storage(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that owns the memory of this one: its storage."""
    base = array
    while base.base is not None:
        # numpy's as_strided puts another object between a view and its base.
        owner = base.base if isinstance(base.base, np.ndarray) else getattr(base.base, "base", None)
        if not isinstance(owner, np.ndarray):
            break
        base = owner
    return base


def address(array: np.ndarray[Any, Any]) -> int:
    """The address of the first element."""
    try:
        return addressof(c_char.from_buffer(array))
    except (TypeError, ValueError):  # not contiguous, empty or read-only
        return array.__array_interface__["data"][0]  # four times slower


def offset(array: np.ndarray[Any, Any]) -> int:
    """The storage offset, in bytes."""
    owner = storage(array)
    return 0 if owner is array else address(array) - address(owner)


def outermost_first(memory: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A storage with its dimensions ordered by stride, the greatest first, which makes it C-contiguous if it is dense."""
    if memory.flags.c_contiguous:
        return memory
    return memory.transpose(sorted(range(memory.ndim), key=lambda axis: -memory.strides[axis]))


def buffer(memory: np.ndarray[Any, Any]) -> memoryview:
    """The storage as a buffer; as bytes for bfloat16, see Note [bfloat16 has kind V]."""
    ordered = outermost_first(memory)
    return (ordered.reshape(-1).view(np.uint8) if ordered.dtype.kind == "V" else ordered).data


def copy_memory(memory: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A flat copy of a storage."""
    return memory.reshape(-1, order="A").copy()


def copy_memory_once(memory: np.ndarray[Any, Any], memo: dict[int, Any]) -> np.ndarray[Any, Any]:
    """A flat copy of a storage for deepcopy: tensors that share the storage share the copy, by ``memo``."""
    result = memo.get(id(memory))
    if result is None:
        result = memo[id(memory)] = copy_memory(memory)
    return result


def copy_with_memory(array: np.ndarray[Any, Any], memo: dict[int, Any]) -> np.ndarray[Any, Any]:
    """A copy of an array in a copy of its whole storage, for deepcopy."""
    base = storage(array)
    copy = copy_memory_once(base, memo)
    return np.ndarray(array.shape, array.dtype, buffer(copy), address(array) - address(base), array.strides)


def resize_impl(
    tensor: Tensor,
    shape: tuple[int, ...],
    memory_format: Any = None,
    like: np.ndarray[Any, Any] | None = None,
) -> None:
    """Change the shape of a tensor over its storage, which grows if it is too small (torch: resize_impl_cpu_).

    The version is not incremented. If the shape does not change, neither do the strides, unless there is a memory format.
    Otherwise the strides are those of the memory format or of ``like``; by default, contiguous.

    Raises:
        NotImplementedError: a storage that other tensors share would have to grow.
    """
    if shape != tensor._array.shape or memory_format is not None:
        set_array(tensor, _resized(tensor, shape, memory_format, like))


def _resized(
    self: Tensor, shape: tuple[int, ...], memory_format: Any, like: np.ndarray[Any, Any] | None
) -> np.ndarray[Any, Any]:
    alone = _owns_memory_alone(self)
    base, offset, kind = storage(self._array), self.storage_offset(), self._array.dtype
    steps = _steps(shape, memory_format, like)
    extent = 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
    needed = offset + (0 if 0 in shape else extent)
    flat = base.ravel("K")
    if not np.shares_memory(flat, base) and base.size:
        raise NotImplementedError("resize_ of memory with gaps")
    each = kind.itemsize
    if needed * each > flat.nbytes:
        if not alone:
            raise NotImplementedError("resize_ beyond memory that is shared")
        grown = empty_array((needed,), kind)
        grown.view(np.uint8)[: flat.nbytes] = flat.view(np.uint8)
        flat = grown
    if flat.dtype != kind:  # the tensor is a view with another dtype
        flat = flat.view(np.uint8)[: flat.nbytes // each * each].view(kind)
    return np.ndarray(shape, kind, flat, each * offset, tuple(each * step for step in steps))


def _steps(shape: tuple[int, ...], memory_format: Any, like: np.ndarray[Any, Any] | None) -> tuple[int, ...]:
    """The strides after resizing, in elements."""
    array = np.empty(shape, np.int8) if like is None else like
    if memory_format is not None:
        array = laid_out(array, memory_format)
    return strides(array)


_UNSHARED = 3  # reference count of an array that only one tensor, or one view, refers to


def _owns_memory_alone(self: Tensor) -> bool:
    """Whether no other tensor shares this tensor's storage."""
    array = self._array
    if getrefcount(array) > _UNSHARED:
        return False
    base = array.base
    return base is None or (
        isinstance(base, np.ndarray) and base.base is None and getrefcount(base) <= _UNSHARED
    )
