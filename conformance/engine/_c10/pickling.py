"""How tensors and modules are pickled (torch: _utils.py).

Note [Pickling by torch's names]: the ``__module__`` of the engine's classes is torch's, so pickle would look for them in torch. So
the engine pickles the name of torch's module as data (``place``), and looks it up in the engine (``find``). If the engine
does not have that module, or the class is not in it, the package above has the class.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import Any

from .location import PACKAGE

Place = type | tuple[str, str]


def place(cls: type) -> Place:
    """A class in a form that can be pickled: a class of the user itself, one of the engine as module and name.

    See Note [Pickling by torch's names].
    """
    root, _, rest = cls.__module__.partition(".")
    return cls if root != "torch" else (rest, cls.__qualname__)


def find(where: Place) -> type:
    """The class of a result of ``place``.

    Raises:
        TypeError: it is not a class.
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
    """Unpickle by a call of the class."""
    return find(where)(*arguments)


def blank(where: Place) -> Any:
    """A new object without ``__init__``; pickle sets its state."""
    cls = find(where)
    return cls.__new__(cls)


def reduce(self: Any, protocol: Any = None) -> Any:
    """The ``__reduce_ex__`` of classes that are pickled by their state alone."""
    return blank, (place(type(self)),), self.__getstate__()
