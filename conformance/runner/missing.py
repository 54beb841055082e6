"""Which of torch's names an engine lacks, told from the error that a program met."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from conformance.runner.engine import Engine
from conformance.runner.isolate import lookup
from conformance.runner.paths import OWN_MODULE
from conformance.spec.vocabulary import BOUND, PATHS, is_attribute

_KEYWORD = re.compile(r"(?:.*\.)?([\w<>]+)\(\) got an unexpected keyword argument '(\w+)'")


def missing_name(error: BaseException, engine: Engine) -> str:
    """``torch.nn.Linear``, ``Tensor.retain_grad``, ``backward(inputs=...)``; empty where nothing is missing.

    Whether torch raises the same there, so that nothing is missing, is for who compares.
    """
    match error:
        case NotImplementedError():
            return str(error) or "an operation that it does not name"
        case NameError(name=str(name)):
            return BOUND.get(name, "")  # an engine without torch.optim leaves it unbound
        case AttributeError(name=str(name)):
            return _named(error.obj, name, engine)
        case TypeError() if _raised_by_the_call(error) and (found := _KEYWORD.match(str(error))):
            return f"{found[1]}({found[2]}=...)"
    return ""


def _raised_by_the_call(error: BaseException) -> bool:
    """Whether it was raised in the program itself, by a call that did not come to run any of the engine's code."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and traceback.tb_frame.f_globals.get("__name__") == OWN_MODULE


def _named(owner: Any, name: str, engine: Engine) -> str:
    for path in _modules():
        full = ".".join(filter(None, ("torch", path, name)))
        found = lookup(engine.torch, path)
        if owner is not None and owner is found:
            return full
        if owner is None and found is None and full in PATHS and _has(engine.torch, path):
            return full  # it has None where torch has a module
    if not is_attribute(name):  # not torch's: the engine's own code is wrong
        return ""
    if engine.observe(owner) is not None:
        return f"Tensor.{name}"
    cls = owner if isinstance(owner, type) else type(owner)
    return "" if cls.__module__ in (OWN_MODULE, "builtins") else f"{cls.__name__}.{name}"


def _has(torch: Any, path: str) -> bool:
    parent, _, name = path.rpartition(".")
    return hasattr(lookup(torch, parent), name)


@cache
def _modules() -> tuple[str, ...]:
    """The paths below torch, itself first, that hold names of the vocabulary."""
    return (
        "",
        *(path.partition(".")[2] for path, kind in PATHS.items() if kind == "module" and path != "torch"),
    )
