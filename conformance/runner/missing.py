"""Which of torch's names an engine lacks, told from the error that a program met."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from conformance.runner.engine import Engine
from conformance.runner.paths import OWN_MODULE

_PARTS = {"nn": "torch.nn", "F": "torch.nn.functional", "optim": "torch.optim", "autograd": "torch.autograd"}


def missing_name(error: BaseException, engine: Engine, bound: Mapping[str, Any]) -> str:
    """``torch.nn.Linear``, ``Tensor.retain_grad``; empty where the error is not about a missing name.

    Whether torch raises the same there, so that nothing is missing, is for who compares.
    """
    if isinstance(error, NotImplementedError):
        return str(error) or "an operation without a name"
    if isinstance(error, NameError):
        return "" if error.name in bound else _PARTS.get(error.name or "", "")
    if not isinstance(error, AttributeError) or error.name is None:
        return ""
    return _named(error.obj, error.name, engine)


def _named(owner: Any, name: str, engine: Engine) -> str:
    torch = engine.torch
    if owner is torch:
        return f"torch.{name}"
    if isinstance(owner, ModuleType) and isinstance(torch, ModuleType):
        return "torch" + f"{owner.__name__}.{name}".removeprefix(torch.__name__)
    if engine.observe(owner) is not None:
        return f"Tensor.{name}"
    cls = owner if isinstance(owner, type) else type(owner)
    if cls.__module__ in (OWN_MODULE, "builtins"):
        return ""
    return f"{cls.__name__}.{name}"
