"""Modules of the engine that are imported when something of theirs is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LateModule:
    """A module in whose place this stands; what was asked for once is found without asking."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found
