"""The settings that an engine keeps in its own modules, as whether it records: a program must not leave them changed.

Torch has functions that read and write its settings; an engine of other names has not, and a ``with`` that a program
never leaves would decide on all scenarios after it. So a name in the engine's modules and classes that is True, False
or an object of the engine, as its default device, when it is made is the same again at the start of every scenario.
Other values are left alone: counters and caches belong together.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

Flag = tuple[Any, str, Any]  # a module or class, a name in it, and its value

_NOT_AN_ENGINE = frozenset({*sys.stdlib_module_names, "numpy", "scipy", "ml_dtypes", "torch", "conformance"})
_kept: dict[int, tuple[Any, list[Flag]]] = {}  # id of an engine -> that engine and its flags


def keep_flags(engine: Any) -> None:
    """Remember the flags of an engine's packages."""
    packages = _packages(engine)
    modules = [each for name, each in [*sys.modules.items()] if name.partition(".")[0] in packages]
    _kept[id(engine)] = (engine, [flag for module in modules for flag in _flags(module, packages)])


def restore_flags(engine: Any) -> None:
    """Set them as they were."""
    for owner, name, value in _kept.get(id(engine), (None, []))[1]:
        if vars(owner).get(name) is not value:
            with contextlib.suppress(Exception):  # a class may refuse it
                setattr(owner, name, value)


def _packages(engine: Any) -> set[str]:
    """The top-level packages of what the engine's namespace and its adapter's module name."""
    adapter = sys.modules.get(type(engine).__module__)
    spaces = [engine.torch, *([adapter] if adapter is not None else [])]
    values = [value for space in spaces for value in _content(space)]
    adapters = {value.__module__ for value in values if isinstance(value, FunctionType)}
    values += [value for name in adapters for value in _content(sys.modules.get(name))]
    values.append(engine.torch)
    return {_root(value) for value in values} - _NOT_AN_ENGINE - {""}


def _content(space: Any) -> list[Any]:
    return [*vars(space).values()] if hasattr(space, "__dict__") else []


def _root(value: Any) -> str:
    """The package of a module, a class or a function."""
    if isinstance(value, ModuleType):
        named: Any = value.__name__
    else:
        named = getattr(value, "__module__", None) if callable(value) else None
    return named.partition(".")[0] if isinstance(named, str) else ""


def _flags(module: Any, packages: set[str]) -> Iterator[Flag]:
    for name, value in [*getattr(module, "__dict__", {}).items()]:
        if isinstance(value, type):
            if getattr(value, "__module__", "") == module.__name__:
                yield from (
                    (value, key, held) for key, held in [*vars(value).items()] if _is_setting(held, packages)
                )
        elif _is_setting(value, packages):
            yield module, name, value


def _is_setting(value: Any, packages: set[str]) -> bool:
    if isinstance(value, bool):
        return True
    return not callable(value) and not isinstance(value, ModuleType) and _root(type(value)) in packages
