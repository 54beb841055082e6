"""What torch has and this engine has not: asked for, it raises an error that names it.

``names.txt`` lists torch's public names, module by module and for Tensor; `python -m tests.engine.names` writes it.

Note [Absent names]: programs ask ``hasattr(torch, "compile")``, and find that there is none; programs that use such a
name are told what is not implemented. So the error is both, and a name that torch lacks, too, has torch's text.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable
from functools import cache
from inspect import getattr_static
from typing import Any, NoReturn


class AbsentError(NotImplementedError, AttributeError):
    """A name of torch's that is not implemented, see Note [Absent names]."""


class _AbsentAttribute:
    """An attribute of torch's that a class lacks."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __get__(self, instance: Any, owner: type | None = None) -> NoReturn:
        raise AbsentError(self.path)


@cache
def _names(owner: str) -> frozenset[str]:
    """torch's public names of a module or class."""
    # by its path: importlib.resources would double the time that importing the engine takes
    with open(os.path.join(os.path.dirname(__file__), "names.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith(f"{owner}:"):
                return frozenset(line.removeprefix(f"{owner}:").split())
    raise KeyError(owner)


def look_up(module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of the module that stands in for torch's."""

    def find(name: str) -> NoReturn:
        if not name.startswith("_") and name in _names(module):
            raise AbsentError(f"{module}.{name}")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return find


def attach(cls: type) -> None:
    """Name what torch's class of that name has and this one has not."""
    for name in _names(cls.__name__):
        if not hasattr(cls, name):
            setattr(cls, name, _AbsentAttribute(f"{cls.__name__}.{name}"))
    cls.__dir__ = _present  # type: ignore[assignment]


def _present(self: Any) -> list[str]:
    """The names of what an object has."""
    found = {name: getattr_static(type(self), name, None) for name in object.__dir__(self)}
    return [name for name, each in found.items() if not isinstance(each, _AbsentAttribute)]
