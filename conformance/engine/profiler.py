"""torch.profiler: named sections of a program. Nothing is measured here."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from .absent import look_up


class record_function(ContextDecorator):
    """torch.profiler.record_function: a name for what runs inside."""

    __module__ = "torch.autograd.profiler"

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


__getattr__ = look_up("torch.profiler")
