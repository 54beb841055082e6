"""The registry of batch rules: an operator has its own, or shares one; see ``vmap`` in _c10/operator_facts.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .batch_dims import Rule, fronted

Function = TypeVar("Function", bound=Callable[..., Any])

RULES: dict[str, Rule] = {}  # by row
SHARED: dict[str | None, Rule] = {"front": fronted}  # by the fact ``vmap``
COMPOSED: dict[str, Callable[..., Any]] = {}  # by the name of a composite function


def rule(*rows: str) -> Callable[[Rule], Rule]:
    """Register the batch rule of these rows."""

    def declare(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(rows, function))
        return function

    return declare


def shared_rule(*kinds: str) -> Callable[[Rule], Rule]:
    """Register a batch rule for all rows whose fact ``vmap`` is one of these."""

    def declare(function: Rule) -> Rule:
        SHARED.update(dict.fromkeys(kinds, function))
        return function

    return declare


def composed_rule(*functions: str) -> Callable[[Function], Function]:
    """Register the batch rule of composite functions, which call several rows."""

    def declare(function: Function) -> Function:
        COMPOSED.update(dict.fromkeys(functions, function))
        return function

    return declare
