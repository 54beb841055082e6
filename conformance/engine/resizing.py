"""resize_: another shape over the same memory (torch: native/Resize.cpp)."""

from __future__ import annotations

import math
from sys import getrefcount
from typing import Any

import numpy as np

from .modes import state
from .shapes import sizes
from .storage import storage
from .tensor import Tensor
from .views import increment_version


def _resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Another shape over the same memory, which grows where it is too small.

    Raises:
        RuntimeError: for a tensor that requires grad.
        NotImplementedError: memory that other tensors share would have to grow.
    """
    if self.requires_grad and not (state.inference or self._inference):
        raise RuntimeError("cannot resize variables that require grad")
    shape = sizes(size)
    if any(each < 0 for each in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    if shape != self._array.shape:
        self._array = _laid_out(self, shape)
        increment_version(self)
    return self


def _laid_out(self: Tensor, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    alone = _alone(self)
    base, offset = storage(self._array), self.storage_offset()
    needed = math.prod(shape) + offset
    flat = base.reshape(-1, order="A")
    if not np.shares_memory(flat, base) and base.size:
        raise NotImplementedError("resize_ of memory with gaps")
    if needed > flat.size:
        if not alone:
            raise NotImplementedError("resize_ beyond memory that is shared")
        grown = np.zeros(needed, base.dtype)
        grown[: flat.size] = flat
        flat = grown
    return flat[offset:needed].reshape(shape)


_HELD = 3  # references to an array that one tensor, or one view, holds alone


def _alone(self: Tensor) -> bool:
    """Whether no other tensor can see this tensor's memory."""
    array = self._array
    if getrefcount(array) > _HELD:
        return False
    base = array.base
    return base is None or (isinstance(base, np.ndarray) and base.base is None and getrefcount(base) <= _HELD)


def _resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """The shape of another tensor over the same memory."""
    if not isinstance(the_template, Tensor):
        raise TypeError(
            "resize_as_(): argument 'the_template' (position 1) must be Tensor, not "
            + type(the_template).__name__
        )
    return _resize_(self, the_template._array.shape)


def attach() -> None:
    """Make them methods of Tensor."""
    Tensor.resize_ = _resize_  # type: ignore[attr-defined]
    Tensor.resize_as_ = _resize_as_  # type: ignore[attr-defined]
