"""The state of an engine's modules, which every scenario shares: their registries, classes and objects that exist once.

Note [Shared state]: ``Normal.arg_constraints.clear()`` changes a dictionary of a class, ``constraints.real.x = 1`` an
object that exists once, and ``nn.utils.prune`` writes to the functions that it is given. All of these are reached from
a module of the engine. So before a scenario that names one of `WORDS` runs, the namespaces of the modules below
`PACKAGES`, of their classes, functions and objects, and the containers in those are copied, without their elements;
afterwards what differs is put back. ``lint --deep`` compares a copy of all public modules before and after each
scenario, and reports what another one would find changed.

Note [Namespaces of functions]: ``optim.lr_scheduler.LRScheduler.load_state_dict(F.relu, {"x": 1})`` calls a method of a
class with a function as ``self``, which has a namespace too, and many methods write to that. A program reaches the
functions of the engine, and the members of its enumerations, by other names than theirs, as ``layer.activation``. So
after every scenario the namespaces of all of them are compared with what they were, which takes less than 0.1 ms, since
most are empty. An engine may make its functions on first use: all of them are made before a program that does this
openly. Programs that only call functions are spared, see Note [Functions that are only called].

Note [Made before it is copied]: an engine may import its modules on first use. What a program itself imports in this
way and changes would not be in the copy, and would stay changed. So the modules below `PACKAGES` are imported before.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from enum import Enum
from functools import cache
from itertools import chain
from operator import is_
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from conformance.language.scenario import Scenario
from conformance.runner.passed_on import may_pass_on

PACKAGES = ("distributions", "nn.utils", "nn.functional", "library")
WHOLE = ("",)
"""All public modules, except those of torch.distributed, which no program reaches."""
WORDS = ("distributions", "nn.utils", "prune", "parametri", "library")
"""A program that reaches what is below `PACKAGES` and can change it has one of these in its text."""

_ON_A_FUNCTION = re.compile(r"[A-Z]\w*\.\w+\(\s*(?:F|nn|torch|optim|autograd)\.[\w.]+\s*[,)]")
"""A method of a class that is called with something of torch as ``self``: see Note [Namespaces of functions]."""

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


class Namespaces:
    """The namespaces of the engine's functions: see Note [Namespaces of functions]."""

    def __init__(self, root: str) -> None:
        found = {id(value): vars(value) for value in _with_namespace(root)}.values()
        self.empty = [each for each in found if not each]
        self.filled = [each for each in found if each]
        self.contents = [*map(dict, self.filled)]
        self.flat = _flat(self.filled)

    def restore(self) -> None:
        """Put back what has changed."""
        if any(self.empty):
            for each in [*filter(None, self.empty)]:
                _forget(each, {})
                if each:
                    self.empty = [other for other in self.empty if other is not each]
                    self.filled.append(each)
                    self.contents.append(dict(each))
                    self.flat = _flat(self.filled)
        if len(flat := _flat(self.filled)) != len(self.flat) or not all(map(is_, flat, self.flat)):
            for each, content in zip(self.filled, self.contents, strict=True):
                if not _is_same(content, each):
                    _forget(each, content)
                    content.update(each)
            self.flat = _flat(self.filled)


def _flat(namespaces: list[dict[str, Any]]) -> list[Any]:
    return [*chain.from_iterable(namespaces), *chain.from_iterable(map(dict.values, namespaces))]


_OF_TORCH = "__dynamo"
"""How the attributes begin in which torch keeps what it has made of a function, on its first call."""


def _forget(namespace: dict[str, Any], content: dict[str, Any]) -> None:
    own = {name: value for name, value in namespace.items() if str(name).startswith(_OF_TORCH)}
    namespace.clear()
    namespace.update({**own, **content})


@cache
def _namespaces(root: str) -> Namespaces:
    return Namespaces(root)


def _make_all(root: str, packages: tuple[str, ...] = WHOLE) -> None:
    """Let the engine make what its modules make on first use."""
    for _, module in _modules(root, packages):
        if "__getattr__" in vars(module):
            for name in dir(module):
                getattr(module, name, None)
    _namespaces.cache_clear()


@cache
def _import_packages(root: str) -> None:
    """See Note [Made before it is copied]."""
    for package in PACKAGES:
        found: Any = sys.modules.get(root)
        for name in package.split("."):
            found = getattr(found, name, None)
    _make_all(root, PACKAGES)


def _with_namespace(root: str) -> Iterator[Any]:
    for _, module in _modules(root, WHOLE):
        for value in [*vars(module).values()]:
            own = isinstance(value, type) and _is_module_of(getattr(value, "__module__", ""), root)
            for each in [*vars(value).values()] if own else [value]:
                function = each.__func__ if isinstance(each, staticmethod | classmethod) else each
                wrapper = "__wrapped__" in getattr(function, "__dict__", ()) and not isinstance(
                    function, type
                )
                if wrapper or isinstance(function, FunctionType | Enum):
                    yield function


def changes_shared_state(scenario: Scenario) -> bool:
    """Whether a program may change it: see Note [Shared state]."""
    return any(word in text for text in scenario.texts for word in WORDS)


def _modules(root: str, packages: tuple[str, ...]) -> Iterator[tuple[str, ModuleType]]:
    prefixes = tuple(f"{root}.{package}" if package else root for package in packages)
    for name, module in [*sys.modules.items()]:
        below = any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)
        if below and "._" not in name and ".distributed" not in name and isinstance(module, ModuleType):
            yield name, module


def _owners(root: str, packages: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name, module in _modules(root, packages):
        for key, value in [*vars(module).items()]:
            if not key.startswith("__") and key != "distributed":
                yield from _of_value(f"{name}.{key}", value, root)


def _of_value(path: str, value: Any, root: str) -> Iterator[tuple[str, Any]]:
    if _is_container(value):
        yield path, value
    elif isinstance(value, ModuleType):
        return
    elif isinstance(value, type):
        if _is_module_of(getattr(value, "__module__", ""), root):
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
    if not isinstance(root, str):
        yield
        return
    if any(map(_ON_A_FUNCTION.search, scenario.texts)):
        _make_all(root)
    changes = changes_shared_state(scenario)
    if changes:
        _import_packages(root)
    functions = _namespaces(root) if any(map(may_pass_on, scenario.texts)) else None
    state = SharedState(root) if changes else None
    try:
        yield
    finally:
        if functions is not None:
            functions.restore()
        if state is not None:
            state.restore()
