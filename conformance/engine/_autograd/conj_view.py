"""Conjugated views: the memory beside a memory that holds its complex numbers' conjugates (torch: native/Resolve.h).

Note [Conjugated views]: torch's ``conj()`` writes nothing, but sets a bit that every operation reads. Here a memory of
complex numbers gets a twin, which holds the conjugates in the same places; the array of a conjugated view lies in the
twin as its source lies in the memory, and operations find in it the numbers that are meant. Views of such a view lie in
the twin by themselves, the conjugate of one of them in the memory again, and the imaginary parts of the twin are the
negated ones. What is written to one of the two is carried over to the other where changes are counted.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .._c10.zero_tensor import ZeroTensor
from .storage_impl import buffer, offset, outermost_first, storage

Array = np.ndarray[Any, Any]


class ConjugatePair:
    """A memory and its twin, which keeps it; it ends with the twin."""

    __slots__ = ("kind", "memory", "twin")

    def __init__(self, memory: Array, twin: Array, kind: np.dtype[Any]) -> None:
        self.memory, self.kind = memory, kind
        keys = (id(memory), id(twin))
        self.twin = weakref.ref(twin, lambda _: _forget(keys))
        CONJUGATE_PAIRS.update(dict.fromkeys(keys, self))

    def other(self, memory: Array) -> Array:
        """The other one of the two."""
        if memory is not self.memory:
            return self.memory
        twin = self.twin()
        assert twin is not None
        return twin

    def carry_over(self, memory: Array) -> None:
        """Give the other memory what has been written to this one."""
        _conjugation(self.kind)(
            _flat_elements(memory, self.kind), out=_flat_elements(self.other(memory), self.kind)
        )


CONJUGATE_PAIRS: dict[int, ConjugatePair] = {}
"""By the id of either memory."""


def _forget(keys: tuple[int, int]) -> None:
    for key in keys:
        del CONJUGATE_PAIRS[key]


def conjugate_view(array: Array) -> Array:
    """The same place in the other memory."""
    if isinstance(array, ZeroTensor):
        return array[...]
    memory = storage(array)
    pair = CONJUGATE_PAIRS.get(id(memory))
    if pair is None:
        other = _conjugation(array.dtype)(_flat_elements(memory, array.dtype))
        ConjugatePair(memory, other, array.dtype)
    else:
        other = pair.other(memory)
        if memory is pair.memory:  # which numpy may have written
            pair.carry_over(memory)
    start = offset(array) if array.size else 0  # what is empty may lie anywhere
    return np.ndarray(array.shape, array.dtype, buffer(other), start, array.strides)


def _conjugation(kind: np.dtype[Any]) -> np.ufunc:
    """What makes the twin's numbers of the memory's, and the other way round."""
    return np.conjugate if kind.kind == "c" else np.negative


def _flat_elements(memory: Array, kind: np.dtype[Any]) -> Array:
    """All numbers of a memory, one after the other.

    Raises:
        NotImplementedError: they are not.
    """
    flat = outermost_first(memory)
    if not flat.flags.c_contiguous or memory.nbytes % kind.itemsize:
        raise NotImplementedError("the conjugate of a tensor whose memory has gaps")
    return flat.reshape(-1).view(kind)


def is_conjugate_view(array: Array) -> bool:
    """Whether an array lies in a twin."""
    if not CONJUGATE_PAIRS or not isinstance(
        array, np.ndarray
    ):  # one of another layout has no memory of its own
        return False
    memory = storage(array)
    return source_memory(array) is not memory


def resolved(array: Array) -> Array:
    """The same place of the memory beside which a twin lies."""
    if not is_conjugate_view(array):
        return array
    return np.ndarray(array.shape, array.dtype, buffer(source_memory(array)), offset(array), array.strides)


def source_memory(array: Array) -> Array:
    """The memory of an array, not its twin."""
    memory = storage(array)
    pair = CONJUGATE_PAIRS.get(id(memory)) if CONJUGATE_PAIRS else None
    return memory if pair is None else pair.memory


def update_conjugate(array: Array) -> None:
    """Carry a change of this array over to the twin of its memory."""
    if not isinstance(array, np.ndarray):  # as in `is_twin`
        return
    memory = storage(array)
    pair = CONJUGATE_PAIRS.get(id(memory))
    if pair is not None:
        pair.carry_over(memory)
