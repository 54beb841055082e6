"""Legacy constructors: torch.Tensor(...), torch.FloatTensor, Tensor.new and Tensor.type (torch: tensor_new.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes, errors
from ..._c10.context import empty_array
from ..._c10.errors import need_fitting, wrong_element
from ..._c10.layout import Unstrided, strided
from ..._c10.operator_facts import composite
from ..._c10.shapes import new_sizes
from ..._c10.size import Size
from ..._c10.slots import on_first_use, unfilled
from .from_data import as_tensor, infer_array

# See Note [Slots].
alias: Callable[[Tensor], Tensor] = unfilled  # from ops.shape
new_sparse: Callable[..., Tensor] = on_first_use("new_sparse")


class tensortype(type):
    """The metaclass of torch.FloatTensor and others, which create and recognise tensors of one dtype."""

    __module__ = "torch"
    dtype: dtypes.dtype
    is_cuda = is_sparse = False
    layout = strided

    def __call__(cls, *arguments: Any, **named: Any) -> Tensor:
        need_fitting(not named, "Tensor.new")
        return new(cls.dtype, *arguments)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


def typename(obj: Any, /) -> str:
    """torch.typename: a tensor's type, such as ``torch.FloatTensor``; for other objects, their or their type's name."""
    if isinstance(obj, Tensor):
        within = "sparse." if isinstance(obj._array, Unstrided) else ""
        return f"torch.{within}{obj.dtype.legacy}Tensor"
    named = obj if hasattr(obj, "__qualname__") or hasattr(obj, "__name__") else type(obj)
    module = getattr(named, "__module__", "") or ""
    name: str = named.__qualname__ if hasattr(named, "__qualname__") else named.__name__
    return name if module in ("", "builtins") else f"{module}.{name}"


def made(cls: type[Tensor], /, *arguments: Any, **named: Any) -> Tensor:
    """torch.Tensor(...): a tensor in the default dtype from a shape or data, or an alias of another tensor."""
    need_fitting(not named, "Tensor.new")
    if len(arguments) == 1 and isinstance(arguments[0], Tensor):
        result = alias(arguments[0])
    else:
        result = new(dtypes.default, *arguments)
    if cls is not Tensor:
        result.__class__ = cls
    return result


def _may_be_size(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iu"
    return hasattr(value, "__index__") and not isinstance(value, bool)


def new(dtype: dtypes.dtype, *arguments: Any) -> Tensor:
    """A tensor from sizes (one argument each), from data, or sharing the memory of a tensor or numpy array.

    Raises:
        TypeError: a size is not an integer, or a tensor has another dtype.
        RuntimeError: a size is negative.
    """
    (first,) = arguments if len(arguments) == 1 else (None,)
    if isinstance(first, Tensor):
        need_fitting(first.dtype is dtype, "Tensor.new")
        return alias(first)
    if isinstance(first, Size):
        return make(empty_array(new_sizes((first,)), dtype.numpy))
    if len(arguments) == 1 and not _may_be_size(first):
        if not hasattr(first, "__len__") or isinstance(first, (dict, set)):
            raise TypeError(f"new(): data must be a sequence (got {errors.typename(first)})")
        return as_tensor(first, dtype) if isinstance(first, np.ndarray) else make(infer_array(first, dtype))
    need_fitting(not arguments or getattr(arguments[0], "ndim", 0) == 0, "Tensor.new")
    for position, each in enumerate(arguments):
        if not hasattr(each, "__index__"):
            need_fitting(position, "Tensor.new")
            raise wrong_element("new", "size", position, each)
    return make(empty_array(new_sizes(arguments or (0,)), dtype.numpy))


TYPES: dict[str, tensortype] = {}
for _each in dtypes.ALL:
    if _each.category < dtypes.COMPLEX:
        _name = f"{_each.legacy}Tensor"
        TYPES[_name] = tensortype(_name, (), {"__module__": "torch", "dtype": _each})


def _new(self: Tensor, *arguments: Any, **named: Any) -> Tensor:
    """Tensor.new: a tensor of this one's dtype from a shape or data, or sharing a tensor's memory."""
    need_fitting(not named, "Tensor.new")
    if self.is_sparse:
        return new_sparse(self, *arguments)
    return new(self.dtype, *arguments)


@composite(vmap="decompose")
def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Tensor.type: cast to a dtype, a legacy type or the name of one; without arguments, the name of its own type."""
    if dtype is None:
        return typename(self)
    if isinstance(dtype, dtypes.dtype):
        return self.to(dtype=dtype)
    if isinstance(dtype, tensortype):
        return self.to(dtype=dtype.dtype)
    need_fitting(isinstance(dtype, str) and dtype.startswith("torch."), "Tensor.type")
    found = TYPES.get(dtype.removeprefix("torch."))
    if found is None:
        raise ValueError(f"invalid type: '{dtype}'")
    return self.to(dtype=found.dtype)


def attach() -> None:
    """Install the methods."""
    for name, method in METHODS.items():
        setattr(Tensor, name, method)


METHODS = {"new": _new, "type": _type}
