"""Wrappers of functions and methods that check their arguments for __torch_function__.

They are installed when the first subclass overrides it, see Note [torch_function costs nothing until used].
"""

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


_SPECIAL_METHODS = _special(
    """
    abs add and array bool complex contains deepcopy div eq float floordiv format ge getitem gt iadd iand idiv ifloordiv
    ilshift imod imul index int invert ior ipow irshift isub itruediv ixor le len long lshift lt matmul mod mul ne neg
    or pos pow radd rand rdiv reduce_ex repr reversed rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift rshift rsub
    rtruediv rxor setitem sub truediv xor
    """
)
REFLECTED = _special("radd rsub rmul rtruediv rfloordiv rmod rpow rmatmul rand ror rxor rlshift rrshift")
# Operators that torch passes to __torch_function__ under the name of the method (add for __add__).
_METHOD_OPERATORS = _special(
    """
    abs add div ge gt iadd idiv ifloordiv imod imul ipow isub itruediv le lt matmul mod mul ne neg pos pow radd rand
    rmul ror rxor sub truediv
    """
)
# Methods that torch writes in Python: ``types`` includes their tensor's class even if it does not override.
_TYPES_INCLUDE_SELF = _special(
    """
    abs array contains deepcopy floordiv format ipow neg pow repr reversed rfloordiv rlshift rmatmul rmod rpow rsub rtruediv
    """
) | frozenset(
    """
    apply_ backward coalesce dense_dim dim_order indices is_coalesced istft item lu module_load new new_tensor norm register_hook
    register_post_accumulate_grad_hook retain_grad share_memory_ split stft storage tolist unflatten
    sparse_dim unique unique_consecutive untyped_storage values
    """.split()  # noqa: SIM905  like torch's own lists
)
_SELF_ONLY = ("backward", "new_tensor")  # methods that check only their tensor, not their arguments


def _name_in_torch(name: str) -> str:
    """The ``__name__`` of a method of Tensor in torch, where it differs from the attribute's name."""
    return "__rdiv__" if name == "__rtruediv__" else name


def name_methods() -> None:
    """Give Tensor's methods the names under which __torch_function__ sees them in torch."""
    for name, result in list(vars(Tensor).items()):
        hidden = name.startswith("_") and name not in _SPECIAL_METHODS
        if isinstance(result, FunctionType) and not hidden and name not in _METHOD_OPERATORS:
            public = _name_in_torch(name)
            if result.__name__ != public:
                setattr(Tensor, name, _renamed(result, public))


def _renamed(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    renamed.__name__ = name
    return renamed


class Overridable:
    """A wrapper that checks arguments for __torch_function__; it compares equal to the function that it wraps."""

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


def unwrapped(function: Any) -> Any:
    """The function inside these wrappers, so that a function has the same identity before and after they are installed."""
    while isinstance(function, Overridable) or getattr(function, "__globals__", None) is globals():
        function = function.__wrapped__
    return function


@functools.cache
def _rows() -> dict[int, Row]:
    """The rows of the registry by the namespaces in which their functions are compiled."""
    return {id(row.scope): row for row in ROWS.values()}


def _takes_only_self(method: Callable[..., Any]) -> bool:
    """Whether a method has no argument except its tensor."""
    row = _rows().get(id(getattr(inspect.unwrap(method), "__globals__", None)))
    if row is not None:
        return [*row.parameters] == ["self"]
    parameters = [*inspect.signature(method).parameters.values()]
    others = [each for each in parameters[1:] if each.name not in ("enter", "out")]
    return not others and parameters[0].kind is not inspect.Parameter.VAR_POSITIONAL


def _method_wrapper(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    public = function.__name__ if name in _METHOD_OPERATORS else _name_in_torch(name)
    includes_self = name in _TYPES_INCLUDE_SELF or _takes_only_self(function)

    @functools.wraps(function)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not (state.overriding or state.function_modes):
            return function(self, *args, **kwargs)
        relevant = [self] if name in _SELF_ONLY else [self, *flat_values(args), *flat_values(kwargs.values())]
        if not has_torch_function(relevant):
            return function(self, *args, **kwargs)
        try:
            extra_type = type(self) if includes_self else None
            return dispatch_torch_function_with(
                extra_type, vars(Tensor).get(public, wrapper), relevant, self, *args, **kwargs
            )
        except TypeError:
            if name in OPERATORS:  # Python tries the other operand
                return NotImplemented
            raise

    wrapper.__name__ = public
    return wrapper


def reflected_operator_wrapper(name: str) -> Callable[..., Any]:
    """A reflected operator of a subclass.

    For ``tensor + subclass`` Python calls ``subclass.__radd__`` first, whereas torch checks the operands from left to right,
    under the name of the forward operator. An operand of an unrelated class has already been tried by Python.
    """
    reflected, operator = vars(Tensor)[name], getattr(Tensor, name.replace("__r", "__", 1))

    @functools.wraps(reflected)
    def wrapper(self: Any, other: Any) -> Any:
        if not isinstance(other, Tensor) or not issubclass(type(self), type(other)):
            return reflected(self, other)
        if not has_torch_function((other, self)):
            return operator(other, self)
        try:
            return dispatch_torch_function(operator, (other, self), other, self)
        except TypeError:
            return NotImplemented

    return wrapper


def _property_wrapper(found: property) -> property:
    @functools.wraps(found.fget)
    def read(self: Any) -> Any:
        if has_torch_function((self,)):
            return dispatch_torch_function_with(type(self), wrapper.__get__, (self,), self)
        return found.__get__(self)

    def write(self: Any, value: Any) -> None:
        if has_torch_function((self,)):
            dispatch_torch_function_with(type(self), wrapper.__set__, (self,), self, value)
        else:
            found.__set__(self, value)

    wrapper = property(read, write if found.fset else None, found.fdel)
    return wrapper


@functools.cache
def wrap_methods() -> None:
    for name, result in list(vars(Tensor).items()):
        if name in NOT_OVERRIDABLE or (name.startswith("_") and name not in _SPECIAL_METHODS):
            continue
        if isinstance(result, property):
            setattr(Tensor, name, _property_wrapper(result))
        elif isinstance(result, FunctionType):
            setattr(Tensor, name, _method_wrapper(name, result))
    get_default_nowrap_functions.cache_clear()
