"""Storages: the memory of a tensor and its views, as bytes and as numbers (torch: torch/storage.py).

What programs about autograd need of them: addresses, sizes, contents and whether two are the same. They are not made
from anything but tensors.
"""

from __future__ import annotations

from typing import Any, NoReturn, Self

import numpy as np

from .._autograd.storage_impl import StorageBase, address, buffer, copy_memory
from .._c10 import dtypes
from .._c10.device import CPU, device
from .._c10.warn_once import warn_program
from .._c10.zero_tensor import ZeroTensor


class Storage(StorageBase):
    """The memory of a tensor and its views, as ``untyped_storage()`` returns it."""

    is_cuda = False

    def data_ptr(self) -> int:
        """Its address; 0 where it is empty."""
        return 0 if not self._array.size or isinstance(self._array, ZeroTensor) else address(self._array)

    def nbytes(self) -> int:
        """Its size in bytes."""
        return self._array.nbytes

    size = __len__ = nbytes

    def tolist(self) -> list[Any]:
        """Its elements, in the order of memory."""
        return self._elements().tolist()

    @property
    def _cdata(self) -> int:
        """The identity of the memory."""
        return id(self._array)

    @property
    def device(self) -> device:
        """The CPU."""
        return CPU

    def clone(self) -> Self:
        """A copy of it."""
        return self._of(copy_memory(self._array))

    def element_size(self) -> int:
        """How many bytes an element takes."""
        return self._elements().itemsize

    def __getitem__(self, index: Any) -> Any:
        """One of its elements.

        Raises:
            NotImplementedError: the index is not an int.
            IndexError: the index is out of range.
        """
        if not isinstance(index, int):
            raise NotImplementedError("slices of storages")
        if not -len(self) <= index < len(self):
            shown = index + len(self) if index < 0 and isinstance(self, UntypedStorage) else index
            raise IndexError(f"index {shown} out of range for storage of size {len(self)}")
        return self._elements()[index].tolist()

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        raise NotImplementedError("writes to storages")

    def _elements(self) -> np.ndarray[Any, Any]:
        """The memory as numbers."""
        return _bytes(self._array)

    def _of(self, memory: np.ndarray[Any, Any]) -> Self:
        """A storage of this class."""
        raise NotImplementedError


def _bytes(memory: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ndarray((memory.nbytes,), np.uint8, buffer(memory))


class UntypedStorage(Storage):
    """Memory as bytes."""

    __module__ = "torch.storage"

    def __init__(self, *given: Any, **named: Any) -> None:
        raise NotImplementedError("storages that are not a tensor's")

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

    def resize_(self, size: int) -> None:
        """Resize the memory; existing tensors keep their view of the old memory."""
        if size < 0:
            raise NotImplementedError("the text of resize_'s error for negative sizes")
        bytes_ = np.zeros(size, np.uint8)
        kept = min(bytes_.nbytes, self.nbytes())
        bytes_[:kept] = _bytes(self._array)[:kept]
        self._array = bytes_

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
        super().__init__(wrap_storage._array)
        self.dtype, self._untyped_storage = dtype, wrap_storage

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

    def __repr__(self) -> str:
        lines = "\n".join(f" {each}" for each in self.tolist()) or " "
        return f"{lines}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={CPU}) of size {len(self)}]"
