"""torch.utils.weak: dictionaries with weak references to keys, compared by identity (torch: utils/weak.py)."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from .._autograd.tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref[Any]):
    """A weak reference that compares by the identity of the object."""

    __module__ = "torch.utils.weak"
    __slots__ = ("_id",)
    _id: int

    def __new__(cls, key: Any, callback: Any = None) -> WeakIdRef:
        made = super().__new__(cls, key, callback)
        made._id = id(key)
        return made

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine, its = self(), other()  # type: ignore[operator]
        return mine is its if mine is not None and its is not None else self is other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary that drops entries when their keys are deleted."""

    __module__ = "torch.utils.weak"

    def __init__(self, dict: Mapping[Any, Any] | None = None, ref_type: Any = WeakIdRef) -> None:
        self._type, self.data = ref_type, {}  # type: ignore[var-annotated]
        own = weakref.ref(self)

        def remove(reference: Any) -> None:
            found = own()
            if found is not None:
                found.data.pop(reference, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self._type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self._type(key, self._remove)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self._type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self._type(key) in self.data
        except TypeError:  # objects that do not support weak references
            return False

    def __iter__(self) -> Iterator[Any]:
        for reference in [*self.data]:
            key = reference()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return {id(key): value for key, value in self.items()} == {
            id(key): value for key, value in other.items()
        }

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Mapping[Any, Any]) -> WeakIdKeyDictionary:
        found = self.copy()
        found.update(other)
        return found

    def __ior__(self, other: Mapping[Any, Any]) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def copy(self) -> WeakIdKeyDictionary:
        """A copy with the same entries."""
        return WeakIdKeyDictionary(self)

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key, or the default."""
        return self.data.get(self._type(key), default)

    def keyrefs(self) -> list[Any]:
        """The references to the keys."""
        return [*self.data]

    def popitem(self) -> tuple[Any, Any]:
        """Remove and return the last entry."""
        while True:
            reference, value = self.data.popitem()
            if (key := reference()) is not None:
                return key, value


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor."""

    __module__ = "torch.utils.weak"

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        return self.ref()
