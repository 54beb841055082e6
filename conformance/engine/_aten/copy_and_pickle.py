"""Tensors as copy, deepcopy and pickle make them again (torch: _tensor.py)."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import Any

import numpy as np

from .._autograd.storage_impl import address, buffer, copy_with_memory, storage
from .._autograd.tensor import Tensor, make
from .._autograd.tensor_attributes import check_storage
from .._autograd.torch_function import overrides
from .._c10 import errors, pickling
from .._c10.dtypes import with_own_dtype
from .._c10.layout import Unstrided
from .._c10.version_counter import counter_at


def warn_if_has_hooks(tensor: Tensor) -> None:
    """Warn that pickling a tensor drops its hooks."""
    for hook in (tensor._hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )


def _copy(self: Tensor) -> Tensor:
    warn_if_has_hooks(self)
    result = make(self._array, type(self))
    result.__dict__.update(_own(self))
    if not isinstance(self._array, Unstrided):
        result._version_counter = counter_at(1)  # torch puts a copy together in place
    result._requires_grad = self.requires_grad
    return result


def _deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    if not self.is_leaf:
        raise RuntimeError(errors.DEEPCOPY_NON_LEAF)
    if id(self) in memo:
        return memo[id(self)]
    if overrides(type(self)) and type(self.new_empty(())) is not type(self):
        raise RuntimeError(errors.DEEPCOPY_SUBCLASS)
    if isinstance(self._array, Unstrided):
        copied = self.detach().clone().requires_grad_(self.requires_grad)
        memo[id(self)] = copied
        return copied
    check_storage(self)
    result = make(copy_with_memory(self._array, memo), type(self))
    result._version_counter = counter_at(1)
    result._requires_grad = self.requires_grad
    memo[id(self)] = result
    if self._grad is not None:
        result.grad = self._grad.__deepcopy__(memo)
    result.__dict__.update(deepcopy(_own(self), memo))
    return result


def _own(tensor: Tensor) -> dict[str, Any]:
    """What a program has stored on a tensor."""
    return {name: value for name, value in tensor.__dict__.items() if not name.startswith("_")}


def _reduce_ex(self: Tensor, protocol: Any) -> Any:
    """As pickle writes a tensor: with the whole memory, once more for each that shares it."""
    warn_if_has_hooks(self)
    cls, own, array = pickling.place(type(self)), _own(self), self._array
    base = None if isinstance(array, Unstrided) else storage(array)
    if base is None or type(base) is not np.ndarray or not base.flags.c_contiguous:
        return _rebuild, (cls, array, self.requires_grad, own)
    place = array.shape, array.dtype, address(array) - address(base), array.strides
    return _rebuild_in, (cls, base.view(), *place, self.requires_grad, own)


def _rebuild_in(
    cls: Any, base: np.ndarray[Any, Any], shape: Any, kind: Any, offset: int, strides: Any, requires_grad: bool,
    own: dict[str, Any],
) -> Tensor:  # fmt: skip
    return _rebuild(cls, np.ndarray(shape, kind, buffer(base), offset, strides), requires_grad, own)


def _rebuild(cls: Any, array: np.ndarray[Any, Any], requires_grad: bool, own: dict[str, Any]) -> Tensor:
    tensor = make(array if isinstance(array, Unstrided) else with_own_dtype(array), pickling.find(cls))
    if not isinstance(array, Unstrided):
        tensor._version_counter = counter_at(1)  # torch puts a tensor together in place
    tensor._requires_grad = requires_grad
    tensor.__dict__.update(own)
    return tensor


def attach() -> None:
    """Make them methods of Tensor."""
    Tensor.__copy__ = _copy  # type: ignore[attr-defined]
    Tensor.__deepcopy__ = _deepcopy  # type: ignore[attr-defined]
    Tensor.__reduce_ex__ = _reduce_ex  # type: ignore[assignment, method-assign]
