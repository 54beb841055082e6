"""Which batching rule an operator has: a rule of its own, or one that operators share, see ``vmap`` in _c10/operator_facts.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .batch_dims import Rule, fronted

Function = TypeVar("Function", bound=Callable[..., Any])

RULES: dict[str, Rule] = {}  # by row
SHARED: dict[str | None, Rule] = {"front": fronted}  # by the fact ``vmap``
COMPOSED: dict[str, Callable[..., Any]] = {}  # by functions that are no rows


def rule(*rows: str) -> Callable[[Rule], Rule]:
    """Declare the rule of these rows."""

    def declare(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(rows, function))
        return function

    return declare


def shared_rule(*kinds: str) -> Callable[[Rule], Rule]:
    """Declare the rule of the rows that name it among their facts."""

    def declare(function: Rule) -> Rule:
        SHARED.update(dict.fromkeys(kinds, function))
        return function

    return declare


def composed_rule(*functions: str) -> Callable[[Function], Function]:
    """Declare the rule of functions that are made of several rows."""

    def declare(function: Function) -> Function:
        COMPOSED.update(dict.fromkeys(functions, function))
        return function

    return declare
