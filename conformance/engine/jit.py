"""torch.jit for programs that ask whether they are compiled: they never are. Nothing is compiled here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._arguments.absent_names import look_up


def is_scripting() -> bool:
    """torch.jit.is_scripting."""
    return False


is_tracing = is_scripting


def export(fn: Callable[..., Any]) -> Callable[..., Any]:
    """torch.jit.export: a mark for the compiler."""
    return fn


script_if_tracing = export


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """torch.jit.ignore: a mark for the compiler, as a decorator with or without arguments.

    Raises:
        RuntimeError: it is given neither a function nor a bool.
    """
    if callable(drop):
        return drop
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return export


def unused(fn: Callable[..., Any]) -> Callable[..., Any]:
    """torch.jit.unused: a mark for the compiler."""
    return fn


__getattr__ = look_up("torch.jit")
