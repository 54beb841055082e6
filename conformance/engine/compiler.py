"""torch.compiler for programs that ask whether they are compiled: they never are. Nothing is compiled here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._arguments.absent_names import look_up
from .jit import export as allow_in_graph
from .jit import is_scripting as is_compiling

is_dynamo_compiling = is_exporting = is_compiling


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Callable[..., Any]:
    """torch.compiler.disable: a mark for the compiler, as a decorator with or without arguments."""
    return allow_in_graph if fn is None else allow_in_graph(fn)


def reset() -> None:
    """torch.compiler.reset."""


__getattr__ = look_up("torch.compiler")
