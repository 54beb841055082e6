"""torch._VF: the functions that torch's Python wrappers of the same names call."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module(__package__), name)
