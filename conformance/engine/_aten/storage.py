"""Storages: the memory of a tensor and its views, as bytes and as numbers (torch: torch/storage.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Self
from weakref import WeakValueDictionary

import numpy as np

from .._autograd.storage_impl import StorageBase, address, buffer, copy_memory, copy_memory_once
from .._autograd.tensor import wrap
from .._c10 import dtypes
from .._c10.device import CPU, check_device, device
from .._c10.warn_once import warn_program
from .._c10.zero_tensor import ZeroTensor
from .creation import from_data

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

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is pinned: never, since there is no other device."""
        return False

    def resizable(self) -> bool:
        """Whether it can be resized."""
        return True

    def cpu(self) -> Storage:
        """Itself: there is no other device."""
        return self

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

    def _to(self, kind: dtypes.dtype) -> TypedStorage:
        numbers = wrap(self._elements()).to(kind)._array
        return TypedStorage(wrap_storage=UntypedStorage.of(numbers.copy()), dtype=kind, _internal=True)


def _conversion(name: str, kind: dtypes.dtype) -> Callable[[Storage], TypedStorage]:
    def convert(self: Storage) -> TypedStorage:
        return self._to(kind)

    convert.__name__, convert.__doc__ = name, f"A copy whose elements are {kind.name}."
    return convert


for _name, _kind in {
    "double": dtypes.float64, "float": dtypes.float32, "half": dtypes.float16, "bfloat16": dtypes.bfloat16,
    "long": dtypes.int64, "int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8,
    "bool": dtypes.bool_, "complex_float": dtypes.complex64, "complex_double": dtypes.complex128,
}.items():  # fmt: skip
    setattr(Storage, _name, _conversion(_name, _kind))


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

    def new(self) -> UntypedStorage:
        """An empty one."""
        return UntypedStorage()

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
    """Memory as numbers of a dtype, as ``storage()`` returns it: a number of them, given ones, or an untyped
    storage.
    """

    __module__ = "torch.storage"

    def __init__(
        self,
        *args: Any,
        device: Any = None,
        dtype: Any = None,
        wrap_storage: Any = None,
        _internal: bool = False,
    ) -> None:
        if not _internal:
            _warn_typed_storage_removal()
        check_device(device)
        if wrap_storage is not None:
            if args:
                raise RuntimeError(
                    _FORMS + "\nNo positional arguments should be given when using 'wrap_storage'"
                )
            if dtype is None:
                raise RuntimeError(_FORMS + "\nArgument 'dtype' must be specified")
            if not isinstance(dtype, dtypes.dtype):
                raise TypeError(_FORMS + f"\nArgument 'dtype' must be torch.dtype, not {type(dtype)}")
            if device is not None:
                raise RuntimeError(
                    _FORMS + "\nArgument 'device' should not be specified when 'wrap_storage' is given"
                )
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(
                    _FORMS + f"\nArgument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}"
                )
        self.dtype = dtype or dtypes.default
        if wrap_storage is None:
            wrap_storage = self._made(*args)
        self._untyped_storage = wrap_storage

    def _made(self, *args: Any) -> UntypedStorage:
        if len(args) > 1:
            raise RuntimeError(_FORMS + "\nToo many positional arguments")
        given = args[0] if args else 0
        if isinstance(given, (int, np.integer)):
            return UntypedStorage(int(given) * self.dtype.itemsize)
        if isinstance(given, Sequence):
            return UntypedStorage.of(from_data.infer_array(given, self.dtype))
        raise TypeError(_FORMS + f"\nArgument type not recognized: {type(given)}")

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

    def cpu(self) -> TypedStorage:
        """The same memory: there is no other device."""
        return TypedStorage(wrap_storage=self._untyped_storage, dtype=self.dtype, _internal=True)

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

    def copy_(self, source: Storage, non_blocking: Any = None) -> TypedStorage:
        """The bytes of another."""
        self._untyped_storage.copy_(source, non_blocking)
        return self

    def pickle_storage_type(self) -> str:
        """The name of the legacy class for its dtype."""
        return f"{self.dtype.legacy}Storage"

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of its class, if no other type is given."""
        return self._to(dtype) if isinstance(dtype, dtypes.dtype) else f"torch.{self.pickle_storage_type()}"

    def __reduce__(self) -> Any:
        return _rebuild, (self._untyped_storage, self.dtype)

    def __repr__(self) -> str:
        lines = "\n".join(f" {each}" for each in self.tolist()) or " "
        return f"{lines}\n[torch.storage.TypedStorage(dtype={self.dtype}, device={CPU}) of size {len(self)}]"


_FORMS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n"
    " * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)"
)


def _of_bytes(given: bytes) -> UntypedStorage:
    return UntypedStorage.of(np.frombuffer(given, np.uint8).copy())


def _rebuild(untyped: UntypedStorage, dtype: dtypes.dtype) -> TypedStorage:
    return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)


class _LegacyMeta(type):
    """The metaclass of the classes for TypedStorage with a dtype."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return type(instance) is TypedStorage and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, wrap_storage: Any = None) -> TypedStorage:
        try:
            return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype)
        except (RuntimeError, TypeError) as error:
            start = f"{cls}.__new__ received an invalid combination of arguments. Expected one of:"
            forms = " * no arguments\n * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)"
            if not str(error).startswith(_FORMS):
                raise
            raise type(error)(f"{start}\n{forms}{str(error).removeprefix(_FORMS)}") from None


@cache
def legacy(kind: dtypes.dtype) -> Any:
    """torch.FloatStorage and the like, the classes of typed storages before TypedStorage."""
    body = {"dtype": kind, "is_cuda": False, "__module__": "torch"}
    return _LegacyMeta(f"{kind.legacy}Storage", (TypedStorage,), body)


def named(name: str) -> Any:
    """The legacy class of this name, or None."""
    kind = {each.legacy: each for each in dtypes.BY_NAME.values()}.get(name.removesuffix("Storage"))
    return None if kind is None else legacy(kind)
