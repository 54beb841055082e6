"""torch.backends.cudnn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._arguments.absent_names import look_up
from ..cuda import is_available

deterministic = benchmark = False
enabled = allow_tf32 = True
benchmark_limit = None

__all__ = ["allow_tf32", "benchmark", "benchmark_limit", "deterministic", "enabled", "is_available"]


def version() -> None:
    """torch.backends.cudnn.version: None."""


def is_acceptable(tensor: Any) -> bool:
    """torch.backends.cudnn.is_acceptable: False for every tensor."""
    return False


@contextmanager
def flags(**settings: Any) -> Iterator[None]:
    """torch.backends.cudnn.flags: a context with other settings."""
    before = {name: globals()[name] for name in settings}
    globals().update(settings)
    try:
        yield
    finally:
        globals().update(before)


__getattr__ = look_up("torch.backends.cudnn")
