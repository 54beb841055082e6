"""Names of attributes and modules that a program passes to torch as text.

Note [Names as text]: ``nn.utils.prune.identity(module, "weight")`` reads, sets and deletes an attribute whose name is a
text, so the text must be held to the rule for a name after a dot. A text can be computed, so this is checked when the
program runs. The modules below use such texts; in them, ``getattr`` and its like mean the functions of this file. They
refuse names with two underscores and the attributes that lead to frames, files and shared memory, unless the name is a
constant of the calling function, so that it is torch's own.
"""

from __future__ import annotations

import builtins
import importlib.abc
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

from conformance.runner.wall import Refused, is_of_a_program

MODULES = (
    "nn.modules",
    "nn.utils",
    "nn.parameter",
    "distributions",
    "optim.swa_utils",
    "autograd.graph",
    "amp.autocast_mode",
    "utils._pytree",
    "library",
    "_library",
    "storage",
    "_utils",
)
"""The modules of torch, with those below them, that look attributes up by a text of the program."""

_LEADING_OUT = frozenset(
    """
    ag_code ag_frame cr_code cr_frame cr_origin gi_code gi_frame gi_yieldfrom f_back f_builtins f_code f_globals
    f_locals f_trace tb_frame tb_next co_code func_globals func_code ctypes dump tofile from_file share_memory_
    _write_file _new_shared _new_shared_fd_cpu _new_shared_filename_cpu _new_using_fd_cpu _new_using_filename_cpu
    _new_with_file     _set_from_file _share_fd_cpu_ _share_filename_cpu_ _set_cdata mro
    """.split()  # noqa: SIM905  one line for many words
)

_ANNOTATION = re.compile(r"[\w\s.,|\[\]]*")


def restrict(package: str) -> None:
    """Check the names that programs pass as text to an engine's modules, loaded or not; ``package`` is its torch."""
    if package and package not in _restricted:
        _restricted.add(package)
        if _Finder not in map(type, sys.meta_path):
            sys.meta_path.insert(0, _Finder())
        for name, module in [*sys.modules.items()]:
            if _is_checked(name) and isinstance(module, ModuleType):
                _replace(module)


_restricted: set[str] = set()


@cache
def _is_checked(name: str) -> bool:
    for package in _restricted:
        rest = name.removeprefix(f"{package}.")
        if rest != name and any(rest == each or rest.startswith(f"{each}.") for each in MODULES):
            return True
    return False


class _Finder(importlib.abc.MetaPathFinder):
    """Replaces the functions in modules that are imported later, before they run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not _is_checked(fullname):
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                execute = spec.loader.exec_module

                def exec_module(module: ModuleType, execute: Callable[[ModuleType], None] = execute) -> None:
                    _replace(module)
                    execute(module)

                spec.loader.exec_module = exec_module  # type: ignore[method-assign]
                return spec
        return None


def _replace(module: ModuleType) -> None:
    for name, function in _CHECKED.items():
        vars(module).setdefault(name, function)


def _getattr(owner: Any, name: Any, *default: Any) -> Any:
    if _is_suspicious(name):
        _check(name, "getattr")
    return getattr(owner, name, *default)


def _hasattr(owner: Any, name: Any) -> bool:
    if _is_suspicious(name):
        _check(name, "hasattr")
    return hasattr(owner, name)


def _setattr(owner: Any, name: Any, value: Any) -> None:
    if _is_suspicious(name):
        _check(name, "setattr")
    setattr(owner, name, value)


def _delattr(owner: Any, name: Any) -> None:
    if _is_suspicious(name):
        _check(name, "delattr")
    delattr(owner, name)


def _eval(source: Any, *namespaces: Any) -> Any:
    if not isinstance(source, CodeType) and (
        not _ANNOTATION.fullmatch(source) or "__" in source or "f_" in source
    ):
        _check(source, "eval")
    return eval(source, *namespaces)


def _import(name: str, *given: Any, **named: Any) -> Any:
    if name.partition(".")[0] not in _restricted:
        _check(name, "__import__")
    return builtins.__import__(name, *given, **named)


_CHECKED: dict[str, Callable[..., Any]] = {
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "delattr": _delattr,
    "eval": _eval,
    "__import__": _import,
}


def _is_suspicious(name: Any) -> bool:
    return isinstance(name, str) and (str.startswith(name, "__") or name in _LEADING_OUT)


def _check(name: str, how: str) -> None:
    """Raise `Refused` if a program runs and the name is not a constant of the function that uses it."""
    caller = sys._getframe(2)
    if _is_constant(name, caller.f_code.co_consts):
        return
    if is_of_a_program(caller):
        what = {"__import__": "import the module", "eval": "evaluate the text"}.get(how, "use the attribute")
        raise Refused(f"a program may not {what} {name} by a name in text")


def _is_constant(name: str, constants: Sequence[Any]) -> bool:
    return any(
        each == name
        if isinstance(each, str)
        else isinstance(each, tuple | frozenset) and _is_constant(name, [*each])
        for each in constants
    )
