"""Storages: the memory of a tensor and its views, as bytes and as numbers (torch: torch/storage.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self
from weakref import WeakValueDictionary

import numpy as np

from .._autograd.storage_impl import StorageBase, address, buffer, copy_memory, copy_memory_once
from .._autograd.tensor import wrap
from .._c10 import dtypes
from .._c10.device import CPU, check_device, device
from .._c10.warn_once import warn_program
from .._c10.zero_tensor import ZeroTensor

# The ids of memories that are marked as shared.
_SHARED: WeakValueDictionary[int, np.ndarray[Any, Any]] = WeakValueDictionary()


class Storage(StorageBase):
    """The memory of a tensor and its views, as ``untyped_storage()`` returns it."""

    def data_ptr(self) -> int:
        """Its address; 0 where it is empty."""
        return 0 if not self._array.size or isinstance(self._array, ZeroTensor) else address(self._array)

    def nbytes(self) -> int:
        """Its size in bytes."""
        return self._array.nbytes

    size = __len__ = nbytes

    def is_shared(self) -> bool:
        """Whether it was moved to shared memory."""
        return _SHARED.get(id(self._array)) is self._array

    def share_memory_(self) -> Self:
        """Mark it as shared; it is not moved."""
        _SHARED[id(self._array)] = self._array
        return self

    def tolist(self) -> list[Any]:
        """Its elements, in the order of memory."""
        return self._elements().tolist()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    @property
    def _cdata(self) -> int:
        """The identity of the memory."""
        return id(self._array)

    @property
    def device(self) -> device:
        """The CPU."""
        return CPU

    is_cuda = False

    def get_device(self) -> None:
        """The CPU has no number."""

    def clone(self) -> Self:
        """A copy of it."""
        return self._of(copy_memory(self._array))

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self._of(copy_memory_once(self._array, memo))

    def fill_(self, value: Any) -> Self:
        """The same number everywhere."""
        self[:] = value
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        wrap(self._elements())[index] = value

    def resize_(self, size: int) -> None:
        """Resize the memory; existing tensors keep their view of the old memory.

        Raises:
            RuntimeError: the size is negative.
        """
        bytes_ = _blank(size * self.element_size())
        kept = min(bytes_.nbytes, self.nbytes())
        bytes_[:kept] = _bytes(self._array)[:kept]
        self._array = bytes_

    def element_size(self) -> int:
        """How many bytes an element takes."""
        return self._elements().itemsize

    def _elements(self) -> np.ndarray[Any, Any]:
        """The memory as numbers."""
        return _bytes(self._array)

    def _of(self, memory: np.ndarray[Any, Any]) -> Self:
        """A storage of this class."""
        raise NotImplementedError


def _bytes(memory: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ndarray((memory.nbytes,), np.uint8, buffer(memory))


def _of_ints(given: Any) -> np.ndarray[Any, Any]:
    if not isinstance(given, Sequence):
        raise RuntimeError(
            f"torch.UntypedStorage(): Expected a sequence type, but got {type(given).__name__}"
        )
    for each in given:
        if not isinstance(each, int):
            raise RuntimeError(
                "torch.UntypedStorage(): tried to construct a storage from a sequence "
                f"({type(given).__name__}), but one of the items was of type {type(each).__name__} instead of int"
            )
    return np.array([each & 0xFF for each in given], np.uint8)


def _blank(count: int) -> np.ndarray[Any, Any]:
    if count < 0:
        raise RuntimeError(
            "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with "
            f"negative number: {count % 2**64}"
        )
    return np.zeros(count, np.uint8)


class UntypedStorage(Storage):
    """Memory as bytes: a number of them, or given ones."""

    __module__ = "torch.storage"

    def __init__(self, given: Any = 0, /, *, device: Any = None) -> None:
        check_device(device)
        super().__init__(_blank(given) if isinstance(given, int) else _of_ints(given))

    @classmethod
    def of(cls, base: np.ndarray[Any, Any]) -> UntypedStorage:
        """The storage of a memory."""
        result = cls.__new__(cls)
        result._array = base
        return result

    _of = of  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other._array is self._array

    def __hash__(self) -> int:
        return id(self._array)

    def __getitem__(self, index: Any) -> Any:
        """A byte, or a storage that shares several bytes.

        Raises:
            IndexError, TypeError: the index is out of range, or invalid.
        """
        if isinstance(index, slice):
            start, stop, step = index.indices(self.nbytes())
            if step != 1:
                raise RuntimeError(
                    f"Trying to slice with a step of {step}, but only a step of 1 is supported"
                )
            return UntypedStorage.of(_bytes(self._array)[start : max(start, stop)])
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        size = self.nbytes()
        place = index + size if index < 0 else index
        if not 0 <= place < size:
            raise IndexError(f"index {place} out of range for storage of size {size}")
        return int(_bytes(self._array)[place])

    def __setitem__(self, index: Any, value: int) -> None:
        if isinstance(index, int) and not -self.nbytes() <= index < self.nbytes():
            raise RuntimeError("out of bounds")
        if not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        _bytes(self._array)[index] = value & 0xFF

    def copy_(self, source: Storage, non_blocking: Any = None) -> UntypedStorage:
        """Copy the bytes of another storage.

        Raises:
            RuntimeError: its size differs.
        """
        if source.nbytes() != self.nbytes():
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        _bytes(self._array)[...] = _bytes(source._array)
        return self

    def untyped(self) -> UntypedStorage:
        """Itself."""
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of its class."""
        return "torch.storage.UntypedStorage"

    def __reduce__(self) -> Any:
        return _of_bytes, (bytes(_bytes(self._array)),)

    def __repr__(self) -> str:
        lines = "\n".join(f" {each}" for each in self.tolist()) or " "
        return f"{lines}\n[torch.storage.UntypedStorage(device={CPU}) of size {self.nbytes()}]"


def _warn_typed_storage_removal() -> None:
    """Warn that typed storages are deprecated, once per program, whatever torch.set_warn_always says."""
    own: Any = _warn_typed_storage_removal
    if not getattr(own, "has_warned", False):
        own.has_warned = True
        warn_program(
            "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
            "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
            "directly, use tensor.untyped_storage() instead of tensor.storage()",
        )


class TypedStorage(Storage):
    """Memory as numbers of a dtype, as ``storage()`` returns it."""

    __module__ = "torch.storage"

    def __init__(self, *, dtype: dtypes.dtype, wrap_storage: UntypedStorage, _internal: bool = False) -> None:
        if not _internal:
            _warn_typed_storage_removal()
        self.dtype, self._untyped_storage = dtype, wrap_storage

    @property
    def _array(self) -> np.ndarray[Any, Any]:
        return self._untyped_storage._array

    @_array.setter
    def _array(self, memory: np.ndarray[Any, Any]) -> None:
        self._untyped_storage._array = memory

    def _elements(self) -> np.ndarray[Any, Any]:
        return _bytes(self._array).view(self.dtype.numpy)

    def _of(self, memory: np.ndarray[Any, Any]) -> Any:
        return TypedStorage(wrap_storage=UntypedStorage.of(memory), dtype=self.dtype, _internal=True)

    def __len__(self) -> int:
        return self.nbytes() // self.dtype.itemsize

    size = __len__

    def untyped(self) -> UntypedStorage:
        """The memory as bytes."""
        return self._untyped_storage

    def __getitem__(self, index: Any) -> Any:
        """One of its numbers.

        Raises:
            RuntimeError: the index is not an int.
            IndexError: the index is out of range.
        """
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return self._elements()[index].tolist()

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if isinstance(value, Storage):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        super().__setitem__(index, value)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of its class."""
        return f"torch.{self.dtype.legacy}Storage"

    def __reduce__(self) -> Any:
        return _rebuild, (self._untyped_storage, self.dtype)

    def __repr__(self) -> str:
        lines = "\n".join(f" {each}" for each in self.tolist()) or " "
        return f"{lines}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={CPU}) of size {len(self)}]"


def _of_bytes(given: bytes) -> UntypedStorage:
    return UntypedStorage.of(np.frombuffer(given, np.uint8).copy())


def _rebuild(untyped: UntypedStorage, dtype: dtypes.dtype) -> TypedStorage:
    return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)
