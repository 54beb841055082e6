"""Modules under torch's names, for classes that stand elsewhere: ``from torch.optim.sgd import SGD``."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def stand_in(package: dict[str, Any]) -> None:
    """Give a package (its globals) the modules that its public classes name as theirs, where it has none of the name."""
    own = package["__name__"]
    for name in package["__all__"]:
        value = package[name]
        if not isinstance(value, type):
            continue
        leaf = value.__module__.rpartition(".")[2]
        path = f"{own}.{leaf}"
        if path not in sys.modules:
            if importlib.util.find_spec(path) is not None:
                continue
            made = ModuleType(path, f"torch's module of {name}.")
            made.__spec__ = ModuleSpec(path, None)  # which find_spec wants of a module that there is
            sys.modules[path] = package[leaf] = made
        vars(sys.modules[path]).setdefault(name, value)
