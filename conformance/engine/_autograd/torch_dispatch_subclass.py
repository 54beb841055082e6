"""Subclasses of Tensor with ``__torch_dispatch__`` (torch: PythonFallbackKernel.cpp).

Note [Subclasses with torch_dispatch]: an operation calls the ``__torch_dispatch__`` of its arguments' classes after that of the
modes; see Note [Below autograd] in _dispatch/torch_dispatch.py. The object that it returns *is* the result: the operation records its
node, and that object gets the grad_fn. While such a class exists, all operations pass through their stubs, as in a
transform.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._c10.dtypes import get_default_dtype
from .._c10.interpreter_stack import transforms
from .._c10.modes import state
from .._c10.shapes import sizes
from .._c10.slots import on_first_use
from .batched_tensor import flat_values, rebuild_sequence
from .saved_variable import SavedTensor
from .tensor import Tensor, make, version_counter

# See Note [Slots].
install_wrappers: Callable[[], None] = on_first_use("install_dispatch_wrappers")
remove_wrappers: Callable[[], None] = on_first_use("remove_dispatch_wrappers")

_classes: weakref.WeakSet[type] = weakref.WeakSet()  # those that define __torch_dispatch__ themselves


def disabled_torch_dispatch(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The ``__torch_dispatch__`` of Tensor, and of subclasses for which operations do not call it."""
    return NotImplemented


class DisableTorchDispatch:
    """Inside, no ``__torch_dispatch__`` of a subclass is called (torch: torch._C._DisableTorchDispatch)."""

    __module__ = "torch._C"

    def __enter__(self) -> None:
        self.before = state.dispatching
        state.dispatching = False

    def __exit__(self, *error: object) -> None:
        state.dispatching = self.before


def register_dispatch_subclass(cls: type[Tensor]) -> None:
    """Install the stubs of all operations for as long as this class exists."""
    _classes.add(cls)
    transforms.begin()
    install_wrappers()
    weakref.finalize(cls, _leave).atexit = False


def _leave() -> None:
    transforms.end()
    remove_wrappers()


def has_torch_dispatch(value: Any) -> bool:
    """Whether a value is a tensor of a subclass with ``__torch_dispatch__``."""
    cls: Any = value.__class__
    return (
        cls is not Tensor
        and isinstance(value, Tensor)
        and cls.__torch_dispatch__ is not disabled_torch_dispatch
    )


def overloaded_args(values: Iterable[Any]) -> list[Tensor]:
    """The tensors with ``__torch_dispatch__`` among the values: one of each class, subclasses first."""
    result: list[Tensor] = []
    if not _classes or not state.dispatching:
        return result
    for each in flat_values(values):
        if has_torch_dispatch(each) and type(each) not in map(type, result):
            place = (i for i, other in enumerate(result) if issubclass(type(each), type(other)))
            result.insert(next(place, len(result)), each)
    return result


def call_torch_dispatch(op: Any, tensors: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of the first ``__torch_dispatch__`` that does not return NotImplemented."""
    types = tuple(map(type, tensors))
    for each in tensors:
        result = each.__torch_dispatch__(op, types, args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def attach_history(found: Any, given: Any) -> Any:
    """Give the results of ``__torch_dispatch__`` the autograd metadata of the operation's results; return them.

    Args:
        found: the operation's results.
        given: the results of ``__torch_dispatch__``.
    """
    if isinstance(found, Tensor):
        return _attach_history(found, given) if has_torch_dispatch(given) else found
    taken = [attach_history(each, like) for each, like in zip(found, given, strict=True)]
    return rebuild_sequence(type(found), taken)


def _attach_history(found: Tensor, given: Tensor) -> Tensor:
    if given._requires_grad or given._view is not None:  # it has a grad_fn or a base already
        return found
    given._node, given._output_nr, given._requires_grad = found._node, found._output_nr, found._requires_grad
    if found._view is not None:
        given._view, given._version_counter = found._view, version_counter(found)
    return given


def save_detached(saved: SavedTensor, output: Tensor) -> None:
    """Save an output of a subclass as its ``detach()``, since the array alone would lose the subclass."""
    saved.hooks, saved.packed, saved.origin = (_same, _same), output.detach(), None
    saved.array = saved.counter = None


def _same(value: Any) -> Any:
    return value


def make_wrapper_subclass(
    cls: Any,
    size: Any,
    strides: Any = None,
    storage_offset: Any = None,
    memory_format: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    dispatch_sizes_strides_policy: Any = None,
    dispatch_device: bool = False,
    dispatch_layout: bool = False,
    _extra_dispatch_keys: Any = None,
    storage_size: Any = None,
) -> Any:
    """``Tensor._make_wrapper_subclass``: a tensor of a subclass with this shape, whose own values are not used.

    Raises:
        TypeError: the class has no ``__torch_dispatch__`` of its own.
    """
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if getattr(cls, "__torch_dispatch__", disabled_torch_dispatch) is disabled_torch_dispatch:
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    kind = (get_default_dtype() if dtype is None else dtype).numpy
    shape = tuple(sizes((size,), "size"))
    array = np.zeros(shape, kind)
    if strides is not None:
        reach = 1 + sum((length - 1) * step for length, step in zip(shape, strides, strict=True) if length)
        steps = tuple(step * array.itemsize for step in strides)
        array = np.ndarray(shape, kind, np.zeros(max(reach, 1), kind), 0, steps)
    result = make(array, cls)
    result._requires_grad = bool(requires_grad)
    return result


def attach() -> None:
    """Add the methods of Tensor for subclasses."""
    cls: Any = Tensor
    cls.__torch_dispatch__ = staticmethod(disabled_torch_dispatch)
    cls._make_wrapper_subclass = staticmethod(make_wrapper_subclass)
