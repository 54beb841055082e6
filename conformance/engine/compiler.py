"""torch.compiler: programs are never compiled, and decorators return functions unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._arguments.absent_names import look_up
from .jit import export as allow_in_graph
from .jit import is_scripting as is_compiling

is_dynamo_compiling = is_exporting = is_compiling


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Callable[..., Any]:
    """torch.compiler.disable: a decorator, with or without arguments, that does nothing here."""
    return allow_in_graph if fn is None else allow_in_graph(fn)


def reset() -> None:
    """torch.compiler.reset."""


__getattr__ = look_up("torch.compiler")
