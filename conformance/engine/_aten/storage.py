"""Storages: the memory of a tensor and its views, as bytes and as numbers (torch: torch/storage.py).

What programs about autograd need of them: addresses, sizes and whether two are the same. They are not made
from anything but tensors.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from .._autograd.storage_impl import StorageBase, address
from .._c10 import dtypes
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

    def __repr__(self) -> NoReturn:
        raise NotImplementedError("the repr of storages")


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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other._array is self._array

    def __hash__(self) -> int:
        return id(self._array)


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

    def __len__(self) -> int:
        return self.nbytes() // self.dtype.itemsize

    size = __len__

    def untyped(self) -> UntypedStorage:
        """The memory as bytes."""
        return self._untyped_storage
