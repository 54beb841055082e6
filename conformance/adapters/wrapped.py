"""Wrap an engine's tensors with torch's names: the common base of adapters of small engines.

An adapter calls the engine's own functions. It computes no derivatives and adds no features: anything without a
counterpart in the engine raises NotImplementedError, and so is *unsupported*.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, ClassVar

Function = Callable[..., Any]


class Wrapped:
    """A tensor; ``own`` is the engine's. Setting and deleting attributes is not supported."""

    operations: ClassVar[Mapping[str, Function]] = {}
    own: Any

    def __init_subclass__(cls, *, shown_as: str = "") -> None:
        """``shown_as`` is the name that programs and errors see: torch's for its class."""
        if shown_as:
            cls.__name__ = cls.__qualname__ = shown_as

    def __init__(self, own: Any) -> None:
        if own is None or isinstance(
            own, list | tuple | dict | str | Wrapped
        ):  # of a program, not of the engine
            raise NotImplementedError(f"{type(self).__name__}() of data")
        object.__setattr__(self, "own", own)

    @classmethod
    def of(cls, own: Any) -> Any:
        """A tensor of whatever the engine has given."""
        made = object.__new__(cls)
        object.__setattr__(made, "own", own)
        return made

    def __getattr__(self, name: str) -> Any:
        """A method that is a function of the engine."""
        if name in self.operations:
            function = self.operations[name]
            return lambda *given, **named: self.apply(function, self, *given, **named)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        raise NotImplementedError(f"Tensor.{name} = ...")

    def __delattr__(self, name: str) -> None:
        raise NotImplementedError(f"del Tensor.{name}")

    @classmethod
    def apply(cls, function: Function, *given: Any, **named: Any) -> Any:
        """Call the engine's function with its own tensors."""
        return cls.of(
            function(*map(unwrapped, given), **{key: unwrapped(item) for key, item in named.items()})
        )

    def item(self) -> Any:
        """The number."""
        return self.own.item()

    def __repr__(self) -> str:
        return repr(self.own)

    def __getitem__(self, index: Any) -> Any:
        return self.apply(operator.getitem, self, index)

    def __len__(self) -> int:
        return len(self.own)

    def __float__(self) -> float:
        return float(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())


class WrappedArray(Wrapped):
    """A tensor of several numbers, of an engine that names shape, dtype and transpose as NumPy does."""

    def __init__(self, own: Any) -> None:
        if type(own) in (bool, int, float):  # a size, or a number; NumPy's own are the engine's
            raise NotImplementedError(f"{type(self).__name__}() of data")
        super().__init__(own)

    def tolist(self) -> Any:
        """The numbers."""
        return self.own.tolist()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return tuple(self.own.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return self.own.dtype

    @property
    def T(self) -> Any:  # noqa: N802 - its name
        """The transpose."""
        return type(self)(self.own.T)


def unwrapped(value: Any) -> Any:
    """The engine's own tensor, in sequences too."""
    if isinstance(value, Wrapped):
        return value.own
    if isinstance(value, list | tuple):
        return type(value)(map(unwrapped, value))
    return value


def _binary(name: str) -> Function:
    function = getattr(operator, name)

    def call(self: Any, other: Any) -> Any:
        return self.apply(_provided(function, name, self, other), self, other)

    return call


def _reflected(name: str) -> Function:
    function = getattr(operator, name)

    def call(self: Any, other: Any) -> Any:
        return self.apply(_provided(function, name, other, self), other, self)

    return call


def _provided(function: Function, name: str, left: Any, right: Any) -> Function:
    """The operator, if one of the engine's own tensors has it; the lack of one is a missing feature."""
    forms = ((left, f"__{name}__"), (right, f"__r{name}__"))
    has = any(isinstance(each, Wrapped) and hasattr(each.own, form) for each, form in forms)
    return function if has else _absent(f"__r{name}__" if isinstance(right, Wrapped) else f"__{name}__")


def _absent(name: str) -> Function:
    def refuse(self: Any, *given: Any) -> Any:
        raise NotImplementedError(f"Tensor.{name}")

    return refuse


_PASSED_ON = ("add", "sub", "mul", "truediv", "pow", "matmul")
_ABSENT = ("mod", "floordiv", "and", "or", "xor", "lshift", "rshift")
for _name in _PASSED_ON:
    setattr(Wrapped, f"__{_name}__", _binary(_name))
    setattr(Wrapped, f"__r{_name}__", _reflected(_name))
    setattr(Wrapped, f"__i{_name}__", _absent(f"__i{_name}__"))
for _name in _ABSENT:
    for _form in ("", "r", "i"):
        setattr(Wrapped, f"__{_form}{_name}__", _absent(f"__{_form}{_name}__"))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "setitem", "invert", "pos"):
    setattr(Wrapped, f"__{_name}__", _absent(f"__{_name}__"))
setattr(Wrapped, "__neg__", lambda self: self.apply(operator.neg, self))  # noqa: B010  mypy would treat it as an operand


def gradient_of(given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The only argument of ``backward`` in engines that cannot retain a graph."""
    words = ("gradient", "retain_graph", "create_graph", "inputs")
    arguments = dict(zip(words, given, strict=False)) | named
    for word, value in arguments.items():
        if word != "gradient" and value not in (None, False):
            raise NotImplementedError(f"Tensor.backward({word}=...)")
    return unwrapped(arguments.get("gradient"))


def functions(tensor: type[Wrapped], operations: Mapping[str, Function]) -> SimpleNamespace:
    """The operations as functions of torch and methods of ``tensor``; missing arguments are reported."""
    known = {name: _checking_arguments(name, function) for name, function in operations.items()}
    tensor.operations = known
    return SimpleNamespace(
        Tensor=tensor,
        **{
            name: lambda *given, _f=function, **named: tensor.apply(_f, *given, **named)
            for name, function in known.items()
        },
    )


def _checking_arguments(name: str, function: Function) -> Function:
    try:
        signature = inspect.signature(function)
    except ValueError:
        signature = None

    def call(*given: Any, **named: Any) -> Any:
        try:
            fits = not named if signature is None else bool(signature.bind(*given, **named) or True)
        except TypeError:
            fits = False
        if not fits:
            raise NotImplementedError(f"torch.{name} with {', '.join(named) or 'these arguments'}")
        return function(*given, **named)

    return call
