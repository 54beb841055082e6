"""Public names of torch that the engine does not implement: using one raises an error that names it.

Note [Absent names]: ``hasattr(torch, "compile")`` must be False, so the error is an AttributeError; a program that uses the name
should get to know that it is not implemented, so it is a NotImplementedError as well. A name that torch does not have
either raises torch's AttributeError.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import getattr_static
from typing import Any, NoReturn

from .gone import said
from .torch_api import public_names


class AbsentError(NotImplementedError, AttributeError):
    """A name of torch is not implemented, see Note [Absent names]."""


class _AbsentAttribute:
    """A descriptor for an attribute of torch's class that the engine's class does not implement."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __get__(self, instance: Any, owner: type | None = None) -> NoReturn:
        raise AbsentError(self.path)


def look_up(module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` for the engine's version of a module of torch; see Note [Absent names].

    Args:
        module: torch's name of the module.
    """

    def find(name: str) -> NoReturn:
        if not name.startswith("_") and name in public_names(module):
            raise AbsentError(said(f"{module}.{name}"))
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return find


def attach(cls: type) -> None:
    """Add descriptors for the names of torch's class that this class does not implement."""
    for name in public_names(cls.__name__):
        if not hasattr(cls, name):
            setattr(cls, name, _AbsentAttribute(f"{cls.__name__}.{name}"))
    cls.__dir__ = _implemented_names  # type: ignore[assignment]


def _implemented_names(self: Any) -> list[str]:
    """The ``__dir__`` of such a class: the implemented names."""
    found = {name: getattr_static(type(self), name, None) for name in object.__dir__(self)}
    return [name for name, each in found.items() if not isinstance(each, _AbsentAttribute)]
