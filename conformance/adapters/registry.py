"""Find engines by name.

Note [First use]: some libraries look for devices, plugins and files when they make their first tensor. In a scenario
the wall would refuse that, and only the first scenarios would do it. So an engine makes a tensor when it is found.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, TypeGuard

from conformance.adapters.module import ModuleEngine
from conformance.runner.engine import GROUPS, Engine
from conformance.runner.extras import how_to_install
from conformance.runner.isolate import adopt, collected_on_demand

GROUP = "conformance.engines"
"""The entry-point group in which packages register engines."""

# Finds them also if the package is only on the path, without its metadata.
_NAMES = (
    "inhouse",
    "torch",
    "torch-float64",
    "paddle",
    "candle",
    "mygrad",
    "hips",
    "tinygrad",
    "jax",
    "numpygrad",
    "pytorch-mini",
    "micrograd",
    "deeptensor",
    "synapx",
)
_MODES = ("dispatch-mode", "function-mode", "anomaly", "deterministic", "four-threads", "default-device")
_OWN = {name: f"conformance.adapters.{name.replace('-', '_')}:engine" for name in _NAMES}
_OWN |= {f"torch-{name}": f"conformance.adapters.modes:{name.replace('-', '_')}" for name in _MODES}

_ELSEWHERE = {
    "torch-device": "conformance.adapters.device",
    "torch-compile": "conformance.adapters.compiled",
}
"""Torch itself elsewhere: ``torch-device:npy,module``, ``torch-compile:inductor``. No module's name has a hyphen."""

TRUSTED = frozenset({"inhouse", "torch", "torch-float64"})
"""Engines that come with the suite and never change in the life of a process."""

_PRISTINE = ("torch", "inhouse")  # they set nothing, and start from what the suite sets

_PARTS = ("name", "version", "torch", "claims", "observe")  # of an `Engine`


class EngineNotFoundError(LookupError):
    """No engine has that name, or it cannot be used."""


def names() -> tuple[str, ...]:
    """The registered names."""
    return tuple(dict.fromkeys((*_OWN, *(point.name for point in entry_points(group=GROUP)))))


def uses_torch(name: str) -> bool:
    """Whether an engine that does not come with the suite is built on torch.

    Such an engine may change torch for its whole process.
    """
    if is_elsewhere(name):
        return True
    package = _module_of(name).partition(".")[0]
    return name not in _OWN and any(
        _is_of_torch(value)
        for path, module in [*sys.modules.items()]
        if path.partition(".")[0] == package and isinstance(module, ModuleType)
        for value in [*vars(module).values()]
    )


def _is_of_torch(value: Any) -> bool:
    of: str | None = None
    if isinstance(value, ModuleType):
        of = value.__name__
    elif isinstance(value, type | FunctionType | BuiltinFunctionType):
        of = value.__module__
    return str(of).partition(".")[0] == "torch"


def is_elsewhere(name: str) -> bool:
    """Whether an engine is torch itself, on another device or compiled."""
    return name.partition(":")[0] in _ELSEWHERE


def is_only_here(name: str) -> bool:
    """Whether an engine is a module created in this process, which no other process can import."""
    module = sys.modules.get(_module_of(name))
    return module is not None and getattr(module, "__spec__", None) is None


def _module_of(name: str) -> str:
    return _registered().get(name, name).partition(":")[0]


def _registered() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=GROUP)} | _OWN


def find(name: str) -> Engine:
    """The engine of a registered name, a module like torch, or ``module:attribute`` (an engine or its factory).

    A module with an attribute ``engine`` that is an engine is used as that engine.
    """
    path, _, attribute = _registered().get(name, name).partition(":")
    if path in _ELSEWHERE:
        return _checked(importlib.import_module(_ELSEWHERE[path]).make(attribute), name)
    try:
        with collected_on_demand(freeze=False):  # an import creates many objects and hardly any garbage
            module = importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is None or f"{path}.".startswith(f"{error.name}."):
            raise EngineNotFoundError(f"there is no engine {name!r}{_near(name)}") from None
        missing = f"engine {name!r} needs the module {error.name!r}, which is not installed"
        if name in _OWN and name != "inhouse":
            missing += f": {how_to_install(name.partition('-')[0])}"
        raise EngineNotFoundError(missing) from None
    except (TypeError, ValueError):  # not the name of a module
        raise EngineNotFoundError(f"there is no engine {name!r}{_near(name)}") from None
    except (Exception, SystemExit) as error:  # scripts that parse the command line exit
        raise _unusable(name, "imported", error) from error
    if "torch" in sys.modules and uses_torch(name):
        # Warnings that torch emits once must not be consumed here.
        importlib.import_module("conformance.adapters.torch")
    if attribute:
        return _checked(_attribute(module, attribute, name), name)
    inner = getattr(module, "engine", None)
    if not _is_engine(inner) and not hasattr(module, "Tensor"):
        for each in vars(module).values():
            if isinstance(each, type) and each.__module__ == module.__name__ and hasattr(each, "observe"):
                raise EngineNotFoundError(f"engine {name!r} is a module: name {name}:{each.__name__} in it")
    return _checked(inner if _is_engine(inner) else ModuleEngine(name, module), name)


def _checked(engine: Engine, name: str) -> Engine:
    """Refuse unknown groups, and claims without values, with which an engine would agree by showing nothing."""
    with contextlib.suppress(AttributeError):  # it has slots
        engine.asked = name  # type: ignore[attr-defined]  # for snippets, which show how to get the engine
    for part, text in (("name", engine.name), ("version", engine.version)):
        if not isinstance(text, str):
            raise EngineNotFoundError(f"engine {name!r}: its {part} is a {type(text).__name__}, not a str")
    if isinstance(engine.claims, str):
        raise EngineNotFoundError(f"engine {name!r} claims a text: write {{{engine.claims!r}}}, a set")
    if unknown := sorted(set(engine.claims) - set(GROUPS)):
        raise EngineNotFoundError(
            f"engine {name!r} claims {unknown[0]!r}, which is not a group of facets: there are {', '.join(GROUPS)}"
        )
    if "values" not in engine.claims:
        raise EngineNotFoundError(
            f"engine {name!r} does not claim 'values', which everything else depends on"
        )
    if not (name in TRUSTED or uses_torch(name)):
        _use(engine)
    if name not in _PRISTINE:
        adopt(engine)
    return engine


def _use(engine: Engine) -> None:
    """Make a tensor and read it, whatever comes of it: see Note [First use]."""
    with contextlib.suppress(Exception):
        observed = engine.observe(engine.torch.tensor([1.0]))
        if observed is not None:
            observed.tolist()


def _attribute(module: Any, attribute: str, name: str) -> Engine:
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            near = difflib.get_close_matches(part, dir(found), n=1)
            hint = f": did you mean {near[0]!r}?" if near else ""
            raise EngineNotFoundError(f"engine {name!r}: {module.__name__} has no {attribute!r}{hint}")
        found = getattr(found, part)
    try:
        if isinstance(found, type | FunctionType):
            found = found()
        if _is_engine(found):
            return found
        lacks = [part for part in _PARTS if not hasattr(found, part)]
    except Exception as error:
        raise _unusable(name, "made", error) from error
    if "observe" in lacks:
        return ModuleEngine(name, found)
    raise EngineNotFoundError(f"engine {name!r} has `observe`, but lacks {', '.join(lacks)}")


def _unusable(name: str, what: str, error: BaseException) -> EngineNotFoundError:
    return EngineNotFoundError(f"engine {name!r} cannot be {what}: {type(error).__name__}: {error}")


def _is_engine(found: Any) -> TypeGuard[Engine]:
    return not isinstance(found, ModuleType) and isinstance(found, Engine)


def _near(name: str) -> str:
    path, colon, attribute = name.partition(":")
    if path.endswith(".py") or "/" in path:
        file = Path(os.path.relpath(path)).with_suffix("")
        module = file.name if ".." in file.parts else ".".join(file.parts)  # in its folder
        return f": a module is named as in an import, {module + colon + attribute}"
    near = difflib.get_close_matches(name, names(), n=1)
    if near:
        return f": did you mean {near[0]!r}?"
    return (
        f"; the registered engines are {', '.join(names())}, and any module or module:attribute may be named"
        f" that can be imported in {os.getcwd()}"
    )
