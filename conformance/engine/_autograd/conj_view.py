"""Conjugate and negated views, as ``conj()`` and ``conj().imag`` return them (torch: ConjugateFallback.cpp).

Note [Conjugate views]: torch's ``conj()`` copies nothing: it sets a bit (the conjugate key) that every operation checks. NumPy
has no such bit. Here a storage gets a *conjugate storage*, which has the conjugates of its elements at the same offsets. The
array of a conjugate view is in the conjugate storage at the offset and strides of its source, so that operations read the
right values without a check. Views of a conjugate view are in the conjugate storage as well, its conjugate is in the
original storage again, and its ``imag`` has the negated values (torch: the negative bit). A write to one of the two
storages is copied to the other one by ``increment_version``, which follows every write.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .._c10.zero_tensor import ZeroTensor
from .storage_impl import buffer, offset, outermost_first, storage

Array = np.ndarray[Any, Any]


class ConjugatePair:
    """A storage and its conjugate storage; removed when the conjugate storage is freed."""

    __slots__ = ("conjugate", "kind", "memory")

    def __init__(self, memory: Array, conjugate: Array, kind: np.dtype[Any]) -> None:
        self.memory, self.kind = memory, kind
        keys = (id(memory), id(conjugate))
        self.conjugate = weakref.ref(conjugate, lambda _: _forget(keys))
        CONJUGATE_PAIRS.update(dict.fromkeys(keys, self))

    def other(self, memory: Array) -> Array:
        """The other storage of the pair."""
        if memory is not self.memory:
            return self.memory
        conjugate = self.conjugate()
        assert conjugate is not None
        return conjugate

    def update_other(self, memory: Array) -> None:
        """Copy the conjugates of this storage to the other one."""
        _conjugation(self.kind)(
            _flat_elements(memory, self.kind), out=_flat_elements(self.other(memory), self.kind)
        )


CONJUGATE_PAIRS: dict[int, ConjugatePair] = {}
"""The pairs, by the id of either storage."""


def _forget(keys: tuple[int, int]) -> None:
    for key in keys:
        del CONJUGATE_PAIRS[key]


def conjugate_view(array: Array) -> Array:
    """The conjugate view of an array: the same elements in the other storage of the pair."""
    if isinstance(array, ZeroTensor):
        return array[...]
    memory = storage(array)
    pair = CONJUGATE_PAIRS.get(id(memory))
    if pair is None:
        other = _conjugation(array.dtype)(_flat_elements(memory, array.dtype))
        ConjugatePair(memory, other, array.dtype)
    else:
        other = pair.other(memory)
        if memory is pair.memory:  # the user may have written to it through numpy
            pair.update_other(memory)
    start = min(offset(array), memory.nbytes)  # that of an empty array may be beyond the end
    return np.ndarray(array.shape, array.dtype, buffer(other), start, array.strides)


def _conjugation(kind: np.dtype[Any]) -> np.ufunc:
    """The function between the two storages: conjugate, or negative for views of imaginary parts."""
    return np.conjugate if kind.kind == "c" else np.negative


def _flat_elements(memory: Array, kind: np.dtype[Any]) -> Array:
    """All elements of a storage as a flat array.

    Raises:
        NotImplementedError: the storage is not dense.
    """
    flat = outermost_first(memory)
    if not flat.flags.c_contiguous or memory.nbytes % kind.itemsize:
        raise NotImplementedError("the conjugate of a tensor whose memory has gaps")
    return flat.reshape(-1).view(kind)


def is_conjugate_view(array: Array) -> bool:
    """Whether an array is in a conjugate storage (torch: is_conj, is_neg)."""
    if not CONJUGATE_PAIRS or not isinstance(array, np.ndarray):  # a sparse array has no storage
        return False
    memory = storage(array)
    return source_memory(array) is not memory


def resolved(array: Array) -> Array:
    """The array in the original storage with the same offset and strides, which has the conjugate values."""
    if not is_conjugate_view(array):
        return array
    return np.ndarray(array.shape, array.dtype, buffer(source_memory(array)), offset(array), array.strides)


def source_memory(array: Array) -> Array:
    """The original storage of an array, also if the array is in the conjugate storage."""
    memory = storage(array)
    pair = CONJUGATE_PAIRS.get(id(memory)) if CONJUGATE_PAIRS else None
    return memory if pair is None else pair.memory


def update_conjugate(array: Array) -> None:
    """After a write to this array, update the other storage of its pair, if there is one."""
    if not isinstance(array, np.ndarray):  # as in `is_conjugate_view`
        return
    memory = storage(array)
    pair = CONJUGATE_PAIRS.get(id(memory))
    if pair is not None:
        pair.update_other(memory)
