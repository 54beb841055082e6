"""Functions and methods that ask their arguments whether they override them, see Note [torch_function costs nothing until used]."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .._aten.python_operators import OPERATORS
from .._aten.registry import ROWS, Row
from .._autograd.tensor import Tensor
from .._autograd.torch_function import (
    NOT_OVERRIDABLE,
    dispatch_torch_function,
    dispatch_torch_function_with,
    flat_values,
    get_default_nowrap_functions,
    handle_torch_function,
    has_torch_function,
)
from .._c10.modes import state


def _special(names: str) -> frozenset[str]:
    return frozenset(f"__{name}__" for name in names.split())


_SPECIAL = _special(
    """
    abs add and array bool complex contains deepcopy div eq float floordiv format ge getitem gt iadd iand idiv ifloordiv
    ilshift imod imul index int invert ior ipow irshift isub itruediv ixor le len long lshift lt matmul mod mul ne neg
    or pos pow radd rand rdiv reduce_ex repr reversed rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift rshift rsub
    rtruediv rxor setitem sub truediv xor
    """
)
REFLECTED = _special("radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rand ror rxor rlshift rrshift")
# Operators that are methods in torch, too: who is asked is told the method's name.
_METHODS = _special(
    """
    abs add div ge gt iadd idiv ifloordiv imod imul ipow isub itruediv le lt matmul mod mul ne neg pos pow radd rand
    rmul ror rxor sub truediv
    """
)
# Methods that torch has written in Python: their tensor's class is told, too, as that of what takes no more than a tensor.
_TELLING = _special(
    """
    abs array contains deepcopy floordiv format ipow neg pow repr reversed rfloordiv rlshift rmatmul rmod rpow rsub rtruediv
    """
) | frozenset(
    """
    apply_ backward coalesce dense_dim dim_order indices is_coalesced istft item lu module_load new new_tensor norm register_hook
    register_post_accumulate_grad_hook resize resize_as retain_grad share_memory_ split stft storage tolist unflatten
    sparse_dim unique unique_consecutive untyped_storage values
    """.split()  # noqa: SIM905  as torch's own lists
)
_ALONE = ("backward", "new_tensor")  # methods that ask only their tensor


def _seen_name(name: str) -> str:
    """What torch calls a method of Tensor that has another name's place."""
    return "__rdiv__" if name == "__rtruediv__" else name


def name_methods() -> None:
    """Give Tensor's methods the names that torch shows to who overrides them."""
    for name, found in list(vars(Tensor).items()):
        hidden = name.startswith("_") and name not in _SPECIAL
        if isinstance(found, FunctionType) and not hidden and name not in _METHODS:
            seen = _seen_name(name)
            if found.__name__ != seen:
                setattr(Tensor, name, _renamed(found, seen))


def _renamed(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def same(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    same.__name__ = name
    return same


class Overridable:
    """A function that asks its arguments first; it equals the function that it stands for."""

    def __init__(
        self, function: Callable[..., Any], name: str, module: str = "torch", in_python: bool = False
    ) -> None:
        self.function = function
        functools.update_wrapper(self, function)
        self.__name__, self.__module__ = name, module
        self.refuse = handle_torch_function if in_python else dispatch_torch_function

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        relevant = [*flat_values(args), *flat_values(kwargs.values())]
        if has_torch_function(relevant):
            return self.refuse(self, relevant, *args, **kwargs)
        return self.function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __eq__(self, other: object) -> bool:
        return self.function == getattr(other, "function", other)

    def __hash__(self) -> int:
        return hash(self.function)

    def __reduce__(self) -> str:
        return self.function.__name__


def beneath(function: Any) -> Any:
    """What one of these functions stands for; any other is itself. So what is known by a function is the same one
    before anything overrides and after.
    """
    while isinstance(function, Overridable) or getattr(function, "__globals__", None) is globals():
        function = function.__wrapped__
    return function


@functools.cache
def _rows() -> dict[int, Row]:
    """The rows by the scopes in which their functions are compiled."""
    return {id(row.scope): row for row in ROWS.values()}


def _takes_nothing(method: Callable[..., Any]) -> bool:
    """Whether a method has no argument but its tensor."""
    row = _rows().get(id(getattr(inspect.unwrap(method), "__globals__", None)))
    if row is not None:
        return [*row.parameters] == ["self"]
    parameters = [*inspect.signature(method).parameters.values()]
    others = [each for each in parameters[1:] if each.name not in ("enter", "out")]
    return not others and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL


def _asking_method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    public = function.__name__ if name in _METHODS else _seen_name(name)
    tells = name in _TELLING or _takes_nothing(function)

    @functools.wraps(function)
    def asking(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not (state.overriding or state.function_modes):
            return function(self, *args, **kwargs)
        relevant = [self] if name in _ALONE else [self, *flat_values(args), *flat_values(kwargs.values())]
        if not has_torch_function(relevant):
            return function(self, *args, **kwargs)
        try:
            besides = type(self) if tells else None
            return dispatch_torch_function_with(
                besides, vars(Tensor).get(public, asking), relevant, self, *args, **kwargs
            )
        except TypeError:
            if name in OPERATORS:  # Python asks the other operand
                return NotImplemented
            raise

    asking.__name__ = public
    return asking


def asking_operator(name: str) -> Callable[..., Any]:
    """A reflected operator: beside a tensor, Python asks the subclass first, and torch goes on in the given order.

    Beside a tensor of another class Python has asked that one already.
    """
    reflected, operator = vars(Tensor)[name], getattr(Tensor, name.replace("__r", "__", 1))

    @functools.wraps(reflected)
    def asking_in_order(self: Any, other: Any) -> Any:
        if not isinstance(other, Tensor) or not issubclass(type(self), type(other)):
            return reflected(self, other)
        if not has_torch_function((other, self)):
            return operator(other, self)
        try:
            return dispatch_torch_function(operator, (other, self), other, self)
        except TypeError:
            return NotImplemented

    return asking_in_order


def _asking_property(found: property) -> property:
    @functools.wraps(found.fget)
    def read(self: Any) -> Any:
        if has_torch_function((self,)):
            return dispatch_torch_function_with(type(self), asking.__get__, (self,), self)
        return found.__get__(self)

    def write(self: Any, value: Any) -> None:
        if has_torch_function((self,)):
            dispatch_torch_function_with(type(self), asking.__set__, (self,), self, value)
        else:
            found.__set__(self, value)

    asking = property(read, write if found.fset else None, found.fdel)
    return asking


@functools.cache
def make_methods_ask() -> None:
    for name, found in list(vars(Tensor).items()):
        if name in NOT_OVERRIDABLE or (name.startswith("_") and name not in _SPECIAL):
            continue
        if isinstance(found, property):
            setattr(Tensor, name, _asking_property(found))
        elif isinstance(found, FunctionType):
            setattr(Tensor, name, _asking_method(name, found))
    get_default_nowrap_functions.cache_clear()
