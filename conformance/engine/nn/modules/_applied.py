"""Modules that apply a function of torch.nn.functional to their inputs and their settings, made from rows."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from .. import functional
from .module import Module


class _Applied(Module):
    """The base of modules that apply a function to their inputs, which have a forward that is compiled from a line.

    It calls ``_function`` of torch.nn.functional with the inputs, the attributes ``_passes``, and by name the attributes
    ``_named``. ``_shows`` is the format of ``extra_repr``.
    """

    _inputs: str = "input"
    _function: str
    _passes: tuple[str, ...] = ()
    _named: tuple[str, ...] = ()
    _shows = ""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        own = vars(cls)
        function = own.get("_function", "")
        if "forward" not in own and function.isidentifier():
            named = (f"{name}=self.{name}" for name in cls._named)
            settings = ", ".join([cls._inputs, *(f"self.{name}" for name in cls._passes), *named])
            call = f"functional.{function}({settings})"
            _compile(cls, f"def forward(self, {cls._inputs}):\n return {call}", functional=functional)

    def extra_repr(self) -> str:
        return self._shows.format(self)


def _compile(cls: type, source: str, /, **scope: Any) -> None:
    """Give a class the method that is defined by a source, under its qualified name."""
    exec(compile(source, f"<{cls.__name__}>", "exec"), scope)
    (method,) = (each for each in scope.values() if isinstance(each, FunctionType))
    method.__qualname__, method.__module__ = f"{cls.__name__}.{method.__name__}", cls.__module__
    setattr(cls, method.__name__, method)


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
        _set_init(made, required, optional)
    return made


def _set_init(cls: type, required: tuple[str, ...], optional: dict[str, Any]) -> None:
    """Set ``cls.__init__``, with the arguments by name so that errors about them are Python's own."""
    base: Any = cls.__mro__[1].__init__  # type: ignore[misc]  # its parameters are read
    settings = (*required, *optional)
    above = [name for name in settings if name in base.__code__.co_varnames]
    listed = ", ".join([*required, *(f"{name}=optional[{name!r}]" for name in optional)])
    lines = [
        f"def __init__(self, {listed}):",
        f"super(cls, self).__init__({', '.join(f'{name}={name}' for name in above)})",
        *(f"self.{name} = {name}" for name in settings if name not in above),
    ]
    _compile(cls, "\n ".join(lines), cls=cls, optional=optional)
