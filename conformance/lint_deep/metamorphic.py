"""Equivalent programs: a scenario with renamed variables, or with two commuting statements swapped.

Note [Commuting]: two neighbouring assignments commute if each creates a leaf or a plain value and neither uses a name
of the other. They create no graph nodes, which torch numbers, and draw no random numbers. Assignments that may create
two names for one object or storage are not swapped, since the first name identifies it in the trace.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from conformance.language.scenario import Expectations, Position, Scenario, Step
from conformance.language.words import BOUND, WORDS
from conformance.runner.trace import Statement, Trace

PREFIX = "zq_"
_KNOWN = {*BOUND, *WORDS, *vars(builtins)}
_MAKES_A_LEAF = {"tensor", "ones", "zeros", "full", "arange", "eye", "linspace"}


# Renamed ------------------------------------------------------------------------------------------


def renamed(scenario: Scenario) -> Scenario | None:
    """The scenario with renamed variables outside its functions; None if it has none."""
    trees = [ast.parse(step.run) for step in scenario.steps]
    own = {name for tree in trees for node in tree.body for name in _bound(node)}
    expressions = [ast.parse(e, mode="eval") for step in scenario.steps for e in step.expressions]
    nodes = [node for tree in (*trees, *expressions) for node in ast.walk(tree)]
    names = own - _KNOWN - {name for node in nodes for name in _otherwise_used(node)}
    if not names:
        return None

    def expectations(of: Expectations | None) -> Expectations | None:
        if of is None:
            return None
        return replace(of, expect=tuple((_renamed(text, names), value) for text, value in of.expect))

    steps = tuple(
        replace(
            step,
            run=_renamed(step.run, names),
            own=expectations(step.own) or step.own,
            claimed=expectations(step.claimed),
        )
        for step in scenario.steps
    )
    return replace(scenario, steps=steps)


def with_first_names(trace: Trace) -> Trace:
    """The trace of a renamed scenario with the original names, without columns."""
    return Trace.from_json(re.sub(rf"\b{PREFIX}", "", trace.to_json()))


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds at the top level, except functions and classes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def _otherwise_used(node: ast.AST) -> Iterator[str]:
    """Names that cannot be renamed: also a parameter, an attribute, or part of a text."""
    if isinstance(node, ast.arg) or (isinstance(node, ast.keyword) and node.arg):
        yield str(node.arg)
    elif isinstance(node, ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.ClassDef | ast.JoinedStr):
        yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (str(alias.asname or alias.name) for alias in node.names)


def _renamed(text: str, names: set[str]) -> str:
    lines = text.encode().splitlines(keepends=True)
    places = {
        (node.lineno, node.col_offset)
        for node in ast.walk(ast.parse(text.lstrip() if "\n" not in text else text))
        if isinstance(node, ast.Name) and node.id in names
    }
    for line, column in sorted(places, reverse=True):
        old = lines[line - 1]
        lines[line - 1] = old[:column] + PREFIX.encode() + old[column:]
    return b"".join(lines).decode()


# Commuted -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Commuted:
    """A scenario with two neighbours swapped, with their step and the line of the first."""

    scenario: Scenario
    position: Position
    step: int
    line: int

    def begins(self, statement: Statement) -> bool:
        """Whether a statement is the first of the two, before or after swapping."""
        return (statement.step, statement.line) == (self.step, self.line)


def commuted(scenario: Scenario, trace: Trace) -> Iterator[Commuted]:
    """The scenario with each pair of commuting neighbours swapped: see Note [Commuting]."""
    states = [moment.state for moment in trace.moments if moment.state is not None]
    if any("is" in facets or facets.get("storage") for state in states for facets in state.values()):
        return
    for index, step in enumerate(scenario.steps):
        for first, second in pairwise(_alone(step)):
            if _is_fresh(first) and _is_fresh(second) and not _shared(first, second):
                steps = list(scenario.steps)
                steps[index] = replace(step, run=_swapped(step.run, first, second))
                position = replace(step.position, line=step.position.line + first.lineno - 1)
                yield Commuted(replace(scenario, steps=tuple(steps)), position, index, first.lineno)


def _alone(step: Step) -> list[ast.stmt]:
    """The step's statements, if no two share a line."""
    body = ast.parse(step.run).body
    ends = [0, *((node.end_lineno or node.lineno) for node in body)]
    alone = all(node.lineno > end for node, end in zip(body, ends, strict=False))
    return body if alone else []


def _shared(first: ast.stmt, second: ast.stmt) -> set[str]:
    one, other = (
        {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} for node in (first, second)
    )
    return (one & other) - set(BOUND)


def _is_fresh(node: ast.stmt) -> bool:
    """Whether a statement binds names to constants or to tensors created from constants."""
    if not (isinstance(node, ast.Assign) and all(isinstance(each, ast.Name) for each in node.targets)):
        return False
    for each in ast.walk(node.value):
        if isinstance(each, ast.Name) and each.id not in BOUND:
            return False
        if isinstance(each, ast.BinOp | ast.Compare):
            return False
        if isinstance(each, ast.Call) and getattr(each.func, "attr", "") not in _MAKES_A_LEAF:
            return False
    return True


def _swapped(text: str, first: ast.stmt, second: ast.stmt) -> str:
    lines = text.splitlines(keepends=True)
    if not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    a, b = first.lineno - 1, second.lineno - 1
    end = second.end_lineno or second.lineno
    return "".join([*lines[:a], *lines[b:end], *lines[a:b], *lines[end:]])
