"""The state of an engine's modules, which every scenario shares: their registries, classes and objects that exist once.

Note [Shared state]: ``Normal.arg_constraints.clear()`` changes a dictionary of a class, ``constraints.real.x = 1`` an
object that exists once, and ``nn.utils.prune`` writes to the functions that it is given. All of these are reached from
a module of the engine. So before a scenario that names one of `WORDS` runs, the namespaces of the modules below
`PACKAGES`, of their classes, functions and objects, and the containers in those are copied, without their elements;
afterwards what differs is put back. ``lint --deep`` compares a copy of all public modules before and after each
scenario, and reports what another one would find changed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from conformance.language.scenario import Scenario

PACKAGES = ("distributions", "nn.utils", "nn.functional", "library")
WHOLE = ("",)
"""All public modules, except those of torch.distributed, which no program reaches."""
WORDS = ("distributions", "nn.utils", "prune", "parametri", "library")
"""A program that reaches what is below `PACKAGES` and can change it has one of these in its text."""

_ABSENT = object()


class _Copied(NamedTuple):
    path: str
    owner: Any  # a container, or an object or class with a namespace
    content: Any


class SharedState:
    """A copy of the state below some packages of the engine whose torch has the name ``root``."""

    def __init__(self, root: str, packages: tuple[str, ...] = PACKAGES) -> None:
        self._copied: list[_Copied] = []
        seen: set[int] = set()
        for path, owner in _owners(root, packages):
            if id(owner) not in seen:
                seen.add(id(owner))
                self._copied.append(_Copied(path, owner, _content(owner)))

    def changed(self) -> list[str]:
        """The paths of what has changed."""
        return [path for path, owner, content in self._copied if not _is_same(content, _content(owner))]

    def restore(self) -> None:
        """Put back what has changed."""
        for _, owner, content in self._copied:
            now = _content(owner)
            if not _is_same(content, now):
                _put_back(owner, content, now)


def changes_shared_state(scenario: Scenario) -> bool:
    """Whether a program may change it: see Note [Shared state]."""
    return any(word in step.run for step in scenario.steps for word in WORDS)


def _owners(root: str, packages: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    prefixes = tuple(f"{root}.{package}" if package else root for package in packages)
    for name, module in [*sys.modules.items()]:
        below = any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)
        if below and "._" not in name and ".distributed" not in name and isinstance(module, ModuleType):
            for key, value in [*vars(module).items()]:
                if not key.startswith("__") and key != "distributed":
                    yield from _of_value(f"{name}.{key}", value, root)


def _of_value(path: str, value: Any, root: str) -> Iterator[tuple[str, Any]]:
    if _is_container(value):
        yield path, value
    elif isinstance(value, ModuleType):
        return
    elif isinstance(value, type):
        if _is_module_of(value.__module__, root):
            yield path, value
            for name, inner in [*vars(value).items()]:
                if _is_container(inner) or isinstance(inner, FunctionType):
                    yield f"{path}.{name}", inner
                elif isinstance(namespace := getattr(inner, "__dict__", None), dict) and _is_of(inner, root):
                    yield f"{path}.{name}", inner
                    yield from ((f"{path}.{name}.{k}", v) for k, v in namespace.items() if _is_container(v))
    elif isinstance(value, FunctionType) or _is_of(value, root):
        namespace = getattr(value, "__dict__", None)
        if isinstance(namespace, dict):
            yield path, value
            yield from ((f"{path}.{k}", v) for k, v in [*namespace.items()] if _is_container(v))


def _is_of(value: Any, root: str) -> bool:
    return _is_module_of(type(value).__module__, root) and not isinstance(value, type)


def _is_module_of(name: str, root: str) -> bool:
    """Whether a class says that it is the engine's, which may use the names of torch's modules."""
    return str(name).startswith((f"{root}.", "torch."))


def _is_container(value: Any) -> bool:
    return isinstance(value, dict | list | set)


def _content(owner: Any) -> Any:
    if isinstance(owner, dict):
        return dict(owner)
    if isinstance(owner, list):
        return list(owner)
    if isinstance(owner, set):
        return set(owner)
    return dict(vars(owner))


def _is_same(before: Any, now: Any) -> bool:
    """By identity: comparing tensors has other results."""
    if len(before) != len(now):
        return False
    if isinstance(before, dict):
        return all(now.get(key, _ABSENT) is value for key, value in before.items())
    if isinstance(before, set):
        return bool(before == now)
    return all(map(lambda one, other: one is other, before, now))


def _put_back(owner: Any, content: Any, now: Any) -> None:
    if isinstance(owner, MutableMapping | set):
        owner.clear()
        owner.update(content)
    elif isinstance(owner, list):
        owner[:] = content
    else:
        for name in now.keys() - content.keys():
            delattr(owner, name)
        for name, value in content.items():
            if now.get(name, _ABSENT) is not value:
                setattr(owner, name, value)


@contextmanager
def restored(scenario: Scenario, torch: Any) -> Iterator[None]:
    """Afterwards the shared state is as before, if the program may change it."""
    root = getattr(torch, "__name__", None)
    state = SharedState(root) if isinstance(root, str) and changes_shared_state(scenario) else None
    try:
        yield
    finally:
        if state is not None:
            state.restore()
