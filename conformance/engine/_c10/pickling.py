"""How tensors and modules are pickled (torch: _utils.py).

Note [Classes that call themselves torch's]: the engine's classes carry torch's module names, so pickle would look for
them in torch. What is pickled instead is where torch has them, to be looked for in the engine: ``place`` and ``find``.
Where the engine keeps in one module what torch has in several, or elsewhere, the package above has the class.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

from .location import PACKAGE

Place = type | tuple[str, str]


def place(cls: type) -> Place:
    """A class as pickle can find it again: the user's as it is, the engine's by module and name."""
    root, _, rest = cls.__module__.partition(".")
    return cls if root != "torch" else (rest, cls.__qualname__)


def find(where: Place) -> type:
    """The class that stands at a place.

    Raises:
        TypeError: what stands there is no class.
    """
    if isinstance(where, type):
        return where
    place, name = where
    while place and not _has(f"{PACKAGE}.{place}", name):
        place = place.rpartition(".")[0]
    path = f"{PACKAGE}.{place}" if place else PACKAGE
    found = getattr(importlib.import_module(path), name)
    if not isinstance(found, type):
        raise TypeError(f"{path}.{name} is not a class")
    return found


def _has(path: str, name: str) -> bool:
    return find_spec(path) is not None and hasattr(importlib.import_module(path), name)


def rebuild(where: Place, *arguments: Any) -> Any:
    """Call the class at a place."""
    return find(where)(*arguments)


def blank(where: Place) -> Any:
    """An object of the class at a place that was not initialised: its state follows."""
    cls = find(where)
    return cls.__new__(cls)


def reduce(self: Any, protocol: Any = None) -> Any:
    """``__reduce_ex__`` of what is its class and its state."""
    return blank, (place(type(self)),), self.__getstate__()
