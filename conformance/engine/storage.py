"""The memory under a tensor and its views, as bytes and as numbers (torch: torch/storage.py)."""

from __future__ import annotations

from ctypes import addressof, c_char
from sys import getrefcount
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from . import dtypes
from .device import CPU, check_device
from .formats import laid_out
from .shapes import strides
from .tensor import Tensor, set_array
from .zero_tensor import ZeroTensor

# Memories that were moved to where other processes may share them, by id.
_SHARED: WeakValueDictionary[int, np.ndarray[Any, Any]] = WeakValueDictionary()


def storage(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that owns the memory of this one."""
    base = array
    while base.base is not None:
        # numpy's as_strided puts an object of its own between a view and what it views.
        owner = base.base if isinstance(base.base, np.ndarray) else getattr(base.base, "base", None)
        if not isinstance(owner, np.ndarray):
            break
        base = owner
    return base


def address(array: np.ndarray[Any, Any]) -> int:
    """Where the first element lies in memory."""
    try:
        return addressof(c_char.from_buffer(array))
    except (TypeError, ValueError):  # it has gaps, is empty or read-only
        return array.__array_interface__["data"][0]  # which takes four times as long


def offset(array: np.ndarray[Any, Any]) -> int:
    """How far the first element lies into the memory, in bytes."""
    owner = storage(array)
    return 0 if owner is array else address(array) - address(owner)


def in_order(memory: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A memory with its dimensions from the outermost to the innermost: as a buffer, numpy takes no other."""
    if memory.flags.c_contiguous:
        return memory
    return memory.transpose(sorted(range(memory.ndim), key=lambda axis: -memory.strides[axis]))


def buffer(memory: np.ndarray[Any, Any]) -> memoryview:
    """A memory for arrays to lie in; as bytes where Python has no such numbers, see Note [Kinds of dtypes]."""
    ordered = in_order(memory)
    return (ordered.reshape(-1).view(np.uint8) if ordered.dtype.kind == "V" else ordered).data


class Storage:
    """What ``untyped_storage()`` shows: the memory under a tensor and its views."""

    def __init__(self, base: np.ndarray[Any, Any]) -> None:
        self._array = base

    def data_ptr(self) -> int:
        """Its address; 0 where it is empty."""
        return 0 if not self._array.size or isinstance(self._array, ZeroTensor) else address(self._array)

    def nbytes(self) -> int:
        """Its size in bytes."""
        return self._array.nbytes

    size = __len__ = nbytes

    def is_shared(self) -> bool:
        """Whether it was moved to memory that other processes may share."""
        return _SHARED.get(id(self._array)) is self._array

    def share_memory_(self) -> Storage:
        """Say that it was; it stays where it is."""
        _SHARED[id(self._array)] = self._array
        return self

    def __getitem__(self, index: Any) -> Any:
        """One of its bytes.

        Raises:
            IndexError, TypeError: there is none such.
        """
        if isinstance(index, slice):
            raise NotImplementedError("a slice of a storage")
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        size = self.nbytes()
        place = index + size if index < 0 else index
        if not 0 <= place < size:
            raise IndexError(f"index {place} out of range for storage of size {size}")
        return self.tolist()[place]

    def tolist(self) -> list[int]:
        """Its bytes."""
        return list(in_order(self._array).tobytes())


class UntypedStorage(Storage):
    """Memory as bytes: so many of them, or these."""

    __module__ = "torch.storage"

    def __init__(self, given: Any = 0, /, *, device: Any = None) -> None:
        check_device(device)
        super().__init__(np.zeros(given, np.uint8) if isinstance(given, int) else np.array(given, np.uint8))

    @classmethod
    def of(cls, base: np.ndarray[Any, Any]) -> UntypedStorage:
        """The storage that a memory is."""
        made = cls.__new__(cls)
        made._array = base
        return made

    def __repr__(self) -> str:
        lines = "".join(f" {each}\n" for each in self.tolist())
        return f"{lines}[torch.storage.UntypedStorage(device={CPU}) of size {self.nbytes()}]"


class TypedStorage(Storage):
    """What ``storage()`` shows: the memory under a tensor, as numbers of its dtype."""

    __module__ = "torch.storage"

    def __init__(self, base: np.ndarray[Any, Any], dtype: dtypes.dtype) -> None:
        super().__init__(base)
        flat = np.ndarray((base.nbytes,), np.uint8, buffer(base))
        self.dtype, self._numbers = dtype, flat.view(dtype.numpy)

    def __len__(self) -> int:
        return len(self._numbers)

    size = __len__

    def __getitem__(self, index: Any) -> Any:
        found = self._numbers[index]
        return found.tolist()

    def tolist(self) -> list[Any]:
        """The numbers, in the order of memory."""
        return self._numbers.tolist()

    def __repr__(self) -> str:
        lines = "".join(f" {each}\n" for each in self.tolist())
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device={CPU}) of size {len(self)}]"


def lay_out(
    tensor: Tensor,
    shape: tuple[int, ...],
    memory_format: Any = None,
    like: np.ndarray[Any, Any] | None = None,
) -> None:
    """Another shape over the same memory, which grows where it is too small; not counted as a change.

    Where the shape stays, so do the steps, unless a memory format is asked for; else it lies as ``like``, or in order.

    Raises:
        NotImplementedError: memory that other tensors share would have to grow.
    """
    if shape != tensor._array.shape or memory_format is not None:
        set_array(tensor, _laid_out(tensor, shape, memory_format, like))


def _laid_out(
    self: Tensor, shape: tuple[int, ...], memory_format: Any, like: np.ndarray[Any, Any] | None
) -> np.ndarray[Any, Any]:
    alone = _alone(self)
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
        grown = np.zeros(needed, kind)
        grown.view(np.uint8)[: flat.nbytes] = flat.view(np.uint8)
        flat = grown
    if flat.dtype != kind:  # the memory of a view with another dtype
        flat = flat.view(np.uint8)[: flat.nbytes // each * each].view(kind)
    return np.ndarray(shape, kind, flat, each * offset, tuple(each * step for step in steps))


def _steps(shape: tuple[int, ...], memory_format: Any, like: np.ndarray[Any, Any] | None) -> tuple[int, ...]:
    """The steps of a new layout, in elements."""
    array = np.empty(shape, np.int8) if like is None else like
    if memory_format is not None:
        array = laid_out(array, memory_format)
    return strides(array)


_HELD = 3  # references to an array that one tensor, or one view, holds alone


def _alone(self: Tensor) -> bool:
    """Whether no other tensor can see this tensor's memory."""
    array = self._array
    if getrefcount(array) > _HELD:
        return False
    base = array.base
    return base is None or (isinstance(base, np.ndarray) and base.base is None and getrefcount(base) <= _HELD)
