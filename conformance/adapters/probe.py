"""Probe an engine in its own process: which of the suite's names it provides, as plain data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from conformance.adapters.module import ModuleEngine
from conformance.adapters.samples import OWNERS, samples
from conformance.language.scenario import Position, Scenario
from conformance.language.vocabulary import PATHS, entries
from conformance.runner.engine import Engine, terms_of
from conformance.runner.execute import state_of
from conformance.runner.isolate import isolated
from conformance.runner.missing import is_module
from conformance.runner.normalize import error_text
from conformance.runner.observe import unlisted
from conformance.runner.own_state import lookup
from conformance.runner.paths import Kind, inside

READS = {
    "values": ("shape", "tolist"),
    "dtypes": ("dtype",),
    "flags": ("requires_grad", "is_leaf", "retains_grad"),
    "graph": ("grad_fn", "output_nr", "_version", "_base"),
}
"""What is read of a tensor to observe each group of facets."""

_HOLDING = {"torch.nn.Module": Kind.MODULE, "torch.optim.Optimizer": Kind.OPTIMIZER}
"""The classes whose content is compared as well."""

_DATA: tuple[Any, ...] = ([1.0, 2.0], [1.0], 1.0)  # lists for most engines, numbers for engines of scalars


_NO_SCENARIO = Scenario("", "", "", "", Position("", 1), ())


def _making(data: Any) -> str:
    return f"torch.tensor({data}, requires_grad=True)"


def probe(engine: Engine) -> dict[str, Any]:
    """The engine's name and version, the names it lacks, and what can be read of a first tensor."""
    with isolated(engine.torch, engine), state_of(engine, _NO_SCENARIO):
        tensor = _tensor(engine)
        unanswered = list(_unanswered(engine))
        unreadable = {owner: names for owner in _HOLDING if (names := _unlisted(engine, owner))}
    lacking = [path for path, kind in PATHS.items() if kind != "module" and not _has(engine, path)]
    return {
        "name": engine.name,
        "version": engine.version,
        "claims": sorted(engine.claims),
        "lacking": lacking,
        "unanswered": unanswered,
        "unlisted": unreadable,
        "names": sum(kind != "module" for kind in PATHS.values()),
        "echoes": _is_torch(engine),
        "nameless": _is_nameless(engine),
        "starts_with_zeros": bool(getattr(engine, "grads_start_as_zeros", False)),
        **tensor,
    }


def _has(engine: Engine, path: str) -> bool:
    missing = object()
    found: Any = engine.torch
    for name in path.split(".")[1:]:
        found = getattr(found, name, missing)
    return found is not missing and not is_module(engine.torch, path)  # a submodule is not a function


def _unanswered(engine: Engine) -> Iterator[str]:
    """The attributes that no object of the engine has, apart from those that every Python object has."""
    made = {owner: list(samples(engine.torch, owner)) for owner in OWNERS}
    for entry in entries():
        if entry.owner in OWNERS and not any(_answers(value, entry.name) for value in made[entry.owner]):
            yield entry.path


def _unlisted(engine: Engine, owner: str) -> list[str]:
    """What a class lacks, for lack of which the content of its objects cannot be read."""
    cls = engine.torch
    for name in owner.split(".")[1:]:
        cls = getattr(cls, name, None)
    if not isinstance(cls, type):
        return []
    for value in samples(engine.torch, owner):
        try:
            [*inside(value, _HOLDING[owner])]
        except Exception:
            cls = type(value)
        else:
            return []
    return [*unlisted(cls, _HOLDING[owner])]


def _tensor(engine: Engine) -> dict[str, Any]:
    """Try to create a tensor and to read what is observed of it."""
    make = lookup(engine.torch, "tensor")
    if make is None or isinstance(make, ModuleType):
        has = "it has no torch.tensor" if make is None else "its torch.tensor is a module"
        return {"made": f"{has}, so {_making(_DATA[0])} was not tried"}
    first = ""
    for data in _DATA:
        try:
            making, value = _making(data), make(data, requires_grad=True)
        except Exception as error:
            first = first or f"{_making(data)} raises {type(error).__name__}: {error_text(error)}"
        else:
            break
    else:
        return {"made": first}
    try:
        observed = engine.observe(value)
    except Exception as error:
        raised = f"{type(error).__name__}: {error_text(error)}"
        return {"made": f"{making} returns a {type(value).__name__}, for which `observe` raises {raised}"}
    if observed is None:
        gives = f"{making} returns a {type(value).__name__}"
        if _is_nameless(engine):
            return {
                "made": f"{gives}, and the module has no class `Tensor`, by which its tensors are recognized"
            }
        return {"made": f"{gives}, which `observe` does not recognize as a tensor"}
    known = {entry.name for entry in entries() if entry.owner == "torch.Tensor"}
    return {
        "made": "",
        "making": making,
        "born_with_grad": _has_grad(observed),
        "unread": {group: list(_unread(observed, names)) for group, names in READS.items()},
        "without": sorted(name for name in known if not _answers(value, name)),
        "attributes": len(known),
    }


def _unread(observed: Any, names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        try:
            found = getattr(observed, name)
        except AttributeError:
            if name != "tolist" or not hasattr(observed, "numpy"):  # which serves as well
                yield name
        except Exception as error:
            yield f"{name} (it raises {type(error).__name__})"
        else:
            try:
                if name == "tolist":
                    found()
            except Exception as error:
                yield f"tolist() (it raises {type(error).__name__}: {error_text(error)})"
    if "_base" in names:
        try:
            if not hasattr(observed, "storage") or callable(observed.storage):
                observed.untyped_storage().data_ptr()
        except AttributeError:
            yield "storage"
        except Exception as error:
            yield f"storage (it raises {type(error).__name__})"


def _has_grad(observed: Any) -> bool:
    """Whether a new tensor has a grad already."""
    try:
        return getattr(observed, "grad", None) is not None
    except Exception:
        return False


def _answers(value: Any, name: str) -> bool:
    try:
        return hasattr(value, name) or name in dir(value)  # some attributes can only be written
    except Exception:  # it has the name, and raises
        return True


def _is_nameless(engine: Engine) -> bool:
    """Whether it is a module without an adapter and without a class `Tensor`."""
    return isinstance(engine, ModuleEngine) and not hasattr(engine.torch, "Tensor")


def _is_torch(engine: Engine) -> bool:
    """Whether its tensors are torch's own, so that torch would be compared with itself."""
    if terms_of(engine).counted:  # see Note [Observed elsewhere]
        return False
    cls, torch = lookup(engine.torch, "Tensor"), sys.modules.get("torch")
    return cls is not None and cls is lookup(torch, "Tensor") and hasattr(torch, "_C")
