"""Legacy constructors: torch.Tensor(...), torch.FloatTensor, Tensor.new and Tensor.type (torch: tensor_new.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._arguments.overloads import argument_error
from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes, errors
from ..._c10.context import empty_array
from ..._c10.device import parsed
from ..._c10.errors import wrong_element
from ..._c10.layout import Unstrided, strided
from ..._c10.operator_facts import composite
from ..._c10.shapes import new_sizes
from ..._c10.size import Size
from ..._c10.slots import on_first_use, unfilled
from ..._c10.warn_once import warn_once
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
        return new(cls.dtype, *placed(arguments, named))

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


def placed(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """Convert the arguments of a legacy constructor to positional ones.

    Raises:
        TypeError: the arguments match no overload.
        RuntimeError: the device is not the CPU.
    """
    if not named and (len(arguments) < 2 or not isinstance(arguments[0], (tuple, list, str, Tensor))):
        return arguments
    result = argument_error("Tensor.new", arguments, named)
    if result is not None:
        raise result
    check_legacy_device(named.get("device"))
    for name, value in named.items():
        if name != "device":
            return (Size(value),) if name == "size" else (value,)
    return arguments


def check_legacy_device(device: Any) -> None:
    """Check that a legacy constructor's device is the CPU.

    Raises:
        RuntimeError: it is another device.
    """
    if device is not None and parsed(device).type != "cpu":
        raise RuntimeError(
            f"legacy constructor expects device type: cpu but device type: {parsed(device).type} was passed"
        )


def made(cls: type[Tensor], /, *arguments: Any, **named: Any) -> Tensor:
    """torch.Tensor(...): a tensor in the default dtype from a shape or data, or an alias of another tensor."""
    arguments = placed(arguments, named)
    if len(arguments) == 1 and isinstance(arguments[0], Tensor):
        result = _shared(arguments[0])
    else:
        result = new(dtypes.default, *arguments)
    if cls is not Tensor:
        result.__class__ = cls
    return result


def _shared(tensor: Tensor) -> Tensor:
    return alias(tensor)


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
    first = arguments[0] if len(arguments) == 1 else None
    if isinstance(first, Tensor):
        if first.dtype is not dtype:
            raise TypeError(f"expected {_options(dtype)} (got {_options(first.dtype)})")
        return _shared(first)
    if isinstance(first, Size):
        return make(empty_array(new_sizes((first,)), dtype.numpy))
    if len(arguments) == 1 and not _may_be_size(first):
        if not hasattr(first, "__len__") or isinstance(first, (dict, set)):
            raise TypeError(f"new(): data must be a sequence (got {errors.typename(first)})")
        if isinstance(first, str):
            raise TypeError("new(): invalid data type 'str'")
        return as_tensor(first, dtype) if isinstance(first, np.ndarray) else make(infer_array(first, dtype))
    for position, each in enumerate(arguments):
        if not hasattr(each, "__index__"):
            result = argument_error("Tensor.new", arguments, {}) if position == 0 else None
            raise result or wrong_element("new", "size", position, each)
    return make(empty_array(new_sizes(arguments or (0,)), dtype.numpy))


def _options(dtype: dtypes.dtype) -> str:
    return (
        f"TensorOptions(dtype={dtypes.c_name(dtype.numpy)}, device=cpu, layout=Strided, requires_grad=false (default), "
        "pinned_memory=false (default), memory_format=(nullopt))"
    )


TYPES: dict[str, tensortype] = {}
for _each in dtypes.ALL:
    if _each.category < dtypes.COMPLEX:
        _name = f"{_each.legacy}Tensor"
        TYPES[_name] = tensortype(_name, (), {"__module__": "torch", "dtype": _each})


def _new(self: Tensor, *arguments: Any, **named: Any) -> Tensor:
    """Tensor.new: a tensor of this one's dtype from a shape or data, or sharing a tensor's memory."""
    if self.is_sparse:
        return new_sparse(self, *arguments, **named)
    return new(self.dtype, *placed(arguments, named))


@composite(vmap="decompose")
def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Tensor.type: cast to a dtype, a legacy type or the name of one; without arguments, the name of its own type."""
    if dtype is None:
        return typename(self)
    if isinstance(dtype, dtypes.dtype):
        return self.to(dtype=dtype)
    if isinstance(dtype, tensortype):
        return self.to(dtype=dtype.dtype)
    if dtype is Tensor:
        return self.to(dtype=dtypes.default)
    if isinstance(dtype, type):
        own = "numpy." * issubclass(dtype, np.generic)  # C types include the module in their name
        raise ValueError(f"invalid type: '{own}{dtype.__name__}'")
    if not isinstance(dtype, str):
        raise TypeError("dtype must be a type, str, or dtype object")
    found = TYPES.get(dtype.removeprefix("torch."))
    if found is None or not dtype.startswith("torch."):
        raise ValueError(f"invalid type: '{dtype}'")
    return self.to(dtype=found.dtype)


def set_default_tensor_type(t: Any, /) -> None:
    """torch.set_default_tensor_type: set the default dtype by a legacy type or its name; deprecated.

    Raises:
        ModuleNotFoundError: the name does not begin with "torch.".
        TypeError: ``t`` is not a legacy type, or has an integer dtype.
    """
    if isinstance(t, str) and not t.startswith("torch."):
        raise ModuleNotFoundError(f"No module named {t.partition('.')[0]!r}")
    warn_once(_DEPRECATED)
    found = TYPES.get(t.removeprefix("torch.")) if isinstance(t, str) else t
    if not isinstance(found, tensortype):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    dtypes.set_default_dtype(found.dtype)


_DEPRECATED = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
    "torch.set_default_device() as alternatives."
)


def attach() -> None:
    """Install the methods."""
    for name, method in METHODS.items():
        setattr(Tensor, name, method)


METHODS = {"new": _new, "type": _type}
