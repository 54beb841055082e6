"""torch.jit: programs are never compiled, and decorators return functions unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._arguments.absent_names import look_up


def is_scripting() -> bool:
    """torch.jit.is_scripting."""
    return False


is_tracing = is_scripting


def export(fn: Callable[..., Any]) -> Callable[..., Any]:
    """torch.jit.export: a decorator that does nothing here."""
    return fn


script_if_tracing = export


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """torch.jit.ignore: a decorator, with or without arguments, that does nothing here.

    Raises:
        RuntimeError: the argument is neither a function nor a bool.
    """
    if callable(drop):
        return drop
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return export


def unused(fn: Callable[..., Any]) -> Callable[..., Any]:
    """torch.jit.unused: a decorator that does nothing here."""
    return fn


__getattr__ = look_up("torch.jit")
