"""Modules that apply a function of torch.nn.functional to their inputs and their settings, made from rows."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from ..._autograd.tensor import Tensor
from .. import functional
from .module import Module


def apply(module: Any, *inputs: Any) -> Any:
    """The module's ``_function`` of the inputs, the attributes ``_passes``, and by name the attributes ``_named``."""
    function = getattr(functional, module._function)
    given = (getattr(module, name) for name in module._passes)
    return function(*inputs, *given, **{name: getattr(module, name) for name in module._named})


class _Applied(Module):
    """The base of modules that apply a function to one input; ``_shows`` is the format of their ``extra_repr``."""

    _function: str
    _passes: tuple[str, ...] = ()
    _named: tuple[str, ...] = ()
    _shows = ""

    def forward(self, input: Tensor) -> Any:
        return apply(self, input)

    def extra_repr(self) -> str:
        return self._shows.format(self)


def module_of(
    name: str, function: str, text: str, shows: str = "", /, *required: str, base: type = _Applied,
    passes: tuple[str, ...] | None = None, named: tuple[str, ...] = (), **optional: Any,
) -> Any:  # fmt: skip
    """The class of modules that apply a function.

    Args:
        name: the name of the class.
        function: the name in torch.nn.functional.
        text: the docstring of the class.
        shows: the format of ``extra_repr``.
        required: arguments of ``__init__`` without a default; each becomes an attribute.
        base: the base class, whose ``__init__`` gets those arguments that it takes.
        passes: the attributes that the function gets; without it, those of the arguments, or as the base has it.
        named: the attributes that the function gets by name.
        optional: further arguments of ``__init__`` with their defaults.
    """
    settings = (*required, *optional)
    module = sys._getframe(1).f_globals["__name__"]  # of the caller, as namedtuple does
    body = {"_function": function, "_named": named, "_shows": shows, "__doc__": text, "__module__": module}
    if settings or passes is not None:
        body["_passes"] = settings if passes is None else passes
    made = type(name, (base,), body)
    if settings:
        made.__init__ = _init(made, required, optional)  # type: ignore[misc]
    return made


def _init(cls: type, required: tuple[str, ...], optional: dict[str, Any]) -> FunctionType:
    """``cls.__init__``, with the arguments by name so that errors about them are Python's own."""
    base: Any = cls.__mro__[1].__init__  # type: ignore[misc]  # its parameters are read
    settings = (*required, *optional)
    above = [name for name in settings if name in base.__code__.co_varnames]
    listed = ", ".join([*required, *(f"{name}=optional[{name!r}]" for name in optional)])
    lines = [
        f"def __init__(self, {listed}):",
        f"super(cls, self).__init__({', '.join(f'{name}={name}' for name in above)})",
        *(f"self.{name} = {name}" for name in settings if name not in above),
    ]
    scope: dict[str, Any] = {"cls": cls, "optional": optional}
    exec(compile("\n ".join(lines), f"<{cls.__name__}>", "exec"), scope)
    found: FunctionType = scope["__init__"]
    found.__qualname__, found.__module__ = f"{cls.__name__}.__init__", cls.__module__
    return found
