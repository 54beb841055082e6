"""resize_, resize_as_, is_set_to, apply_ and map_."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_double
from operator import index
from typing import Any

import numpy as np

from ..._arguments.argument_errors import check_tensors
from ..._autograd.storage_impl import address, resize_impl, storage
from ..._autograd.tensor import Tensor
from ..._autograd.views import increment_version
from ..._c10.dtypes import number_within
from ..._c10.layout import preserve_format, suggest_memory_format
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.shapes import sizes
from ..registry import Array


def resize_(self: Tensor, *sides: Any, size: Any = None, memory_format: Any = None) -> Tensor:
    """Change the shape, and grow the storage if it is too small.

    Raises:
        RuntimeError: for a tensor that requires grad.
        NotImplementedError: storage that other tensors share would have to grow.
    """
    if self.requires_grad and not (state.inference or self._inference):
        raise RuntimeError("cannot resize variables that require grad")
    shape = sizes(sides if size is None else (size,))
    if any(each < 0 for each in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    changes = shape != self._array.shape
    resize_impl(self, shape)
    if memory_format is preserve_format:
        raise RuntimeError("Unsupported memory formatPreserve")
    if changes:
        increment_version(self)
    if memory_format is not None:
        resize_impl(self, shape, memory_format)
    if self._tangents:  # after the change, as in torch
        raise RuntimeError("cannot resize variables that has a forward grad")
    return self


@composite(variants="function, method", vmap="fallback")
def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """resize_ to the shape of another tensor."""
    if memory_format is preserve_format:
        memory_format = suggest_memory_format(the_template._array)
    return resize_(self, the_template._array.shape, memory_format=memory_format)


@composite(variants="method", vmap="no_fallback")
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both have the same storage, offset, shape and strides."""
    a, b = self._array, tensor._array
    return (
        storage(a) is storage(b)
        and a.shape == b.shape
        and a.strides == b.strides
        and address(a) == address(b)
    )


def _refuse_grad(name: str, *tensors: Tensor) -> None:
    if any(each.requires_grad for each in tensors):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replace each element by a function of it; the version does not change."""
    _refuse_grad("apply_", self)
    for place, value in np.ndenumerate(self._array):
        _store(self._array, place, callable(value.item()))
    return self


def map_(self: Tensor, other: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replace each element by a function of it and that of another tensor; the version does not change.

    Raises:
        TypeError: ``other`` is not a tensor, or has another dtype.
    """
    check_tensors("map_", other=other)
    _refuse_grad("map_", self, other)
    if self._array.dtype != other._array.dtype:
        raise TypeError(
            f"map_: expected torch.{self.dtype.legacy}Tensor for 'other' (got torch.{other.dtype.legacy}Tensor)"
        )
    given = other.expand(self._array.shape)._array
    for place, value in np.ndenumerate(self._array):
        _store(self._array, place, callable(value.item(), given[place].item()))
    return self


def _store(array: Array, place: Any, value: Any) -> None:
    """Store a Python number as an element (torch: utils/python_scalars.h).

    Raises:
        TypeError: it is not a number.
        RuntimeError: it is too large.
    """
    match array.dtype.kind:
        case "f" | "V":
            value = c_double(value).value
        case "i" | "u":
            value = number_within(
                array.dtype, value if isinstance(value, float) else index(value), array.dtype.name
            )
        case "b":
            value = bool(value if isinstance(value, float | complex) else index(value))
    array[place] = value


PUBLIC = ("apply_", "is_set_to", "map_", "resize_", "resize_as_")
