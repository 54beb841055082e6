"""What torch has and this engine has not: asked for, it raises an error that names it.

Note [Absent names]: programs ask ``hasattr(torch, "compile")``, and find that there is none; programs that use such a
name are told what is not implemented. So the error is both, and a name that torch lacks, too, has torch's text.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import getattr_static
from typing import Any, NoReturn

from .torch_api import public_names


class AbsentError(NotImplementedError, AttributeError):
    """A name of torch's that is not implemented, see Note [Absent names]."""


class _AbsentAttribute:
    """An attribute of torch's that a class lacks."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __get__(self, instance: Any, owner: type | None = None) -> NoReturn:
        raise AbsentError(self.path)


def look_up(module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of the module that stands in for torch's."""

    def find(name: str) -> NoReturn:
        if not name.startswith("_") and name in public_names(module):
            raise AbsentError(f"{module}.{name}")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return find


def attach(cls: type) -> None:
    """Name what torch's class of that name has and this one has not."""
    for name in public_names(cls.__name__):
        if not hasattr(cls, name):
            setattr(cls, name, _AbsentAttribute(f"{cls.__name__}.{name}"))
    cls.__dir__ = _implemented_names  # type: ignore[assignment]


def _implemented_names(self: Any) -> list[str]:
    """The names of what an object has."""
    found = {name: getattr_static(type(self), name, None) for name in object.__dir__(self)}
    return [name for name, each in found.items() if not isinstance(each, _AbsentAttribute)]
