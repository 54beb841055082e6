"""Delete each statement in turn: a statement without effect on torch says nothing about an engine.

Note [Without effect]: a statement has an effect if it raises, warns or prints, or if deleting it changes any later
observation or breaks the program. For a matrix, an effect in one case is enough. Only observed statements are checked,
so none in bodies of functions and classes. Exempt are ``assert``, which is a check itself, and form: imports,
docstrings, ``pass`` and ``elif``. Having no effect can also be the point of a statement. That is assumed if it passes
torch a function that never runs, which another engine may run; for ``collect()``; and in a scenario with ``observe:
end``, which is about temporary effects. In other cases the step must say so: its last statement is the point if the
step has ``expect`` or ``raises: null``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.language.scenario import Expectations, Position, Scenario, Step
from conformance.runner.program import compile_step
from conformance.runner.trace import Moment, State, Trace
from conformance.runner.verdict import without_opaque

Key = tuple[int, int, str]
"""Step, number in it, kind: identifies a statement in all cases of a matrix."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """A scenario without one statement, and the statement's position in the file."""

    key: Key
    position: Position
    text: str
    scenario: Scenario
    failing: Scenario | None  # with each function that the statement passes on replaced by one that raises


def deletions(scenario: Scenario) -> Iterator[Deletion]:
    """The scenario without each checked statement: see Note [Without effect]."""
    if scenario.observe == "end":
        return
    defined = _functions(scenario)
    for index, step in enumerate(scenario.steps):
        tree = ast.parse(step.run)
        silent = set(ast.walk(tree.body[-1])) if _is_about_its_last(step) else set()
        lines = step.run.encode().splitlines(keepends=True)
        for number, node in enumerate(_statements(tree)):
            if node in silent:
                continue
            first, column = _start(node)
            position = replace(
                step.position,
                line=step.position.line + first - 1,
                column=step.position.column + len(lines[first - 1][:column].decode()),
            )
            handed = _handed(node, defined)
            yield Deletion(
                key=(index, number, type(node).__name__),
                position=position,
                text=lines[first - 1][column:].decode().strip(),
                scenario=_with(scenario, index, _without(lines, node)),
                failing=_with(scenario, index, _replaced(lines, handed)) if handed else None,
            )


def _with(scenario: Scenario, index: int, text: str) -> Scenario:
    steps = list(scenario.steps)
    steps[index] = replace(steps[index], run=text)
    return replace(scenario, steps=tuple(steps))


def has_effect(reference: Trace, shortened: Trace) -> bool:
    """Whether deleting a statement changed the trace: see Note [Without effect]."""
    rest = {moment.statement: moment for moment in shortened.moments}
    before: State = {}
    for moment in reference.moments:
        moment_without = rest.pop(moment.statement, None)
        state = before if moment.state is None else without_opaque(moment.state)
        if moment_without is None:  # it belongs to the deleted statement
            if state != before or _events(moment) != _NO_EVENTS:
                return True
        elif (
            _events(moment) != _events(moment_without)
            or (moment.state is None) != (moment_without.state is None)
            or (moment_without.state is not None and state != without_opaque(moment_without.state))
        ):
            return True
        before = state
    return bool(rest)


def never_changes(scenario: Scenario, trace: Trace) -> bool:
    """Whether a scenario has no effect at all: no events and no observable values."""
    if any(compile_step(step.run).asserts for step in scenario.steps):
        return False
    return not any(
        _events(moment) != _NO_EVENTS or without_opaque(moment.state or {}) for moment in trace.moments
    )


def _events(moment: Moment) -> tuple[object, ...]:
    return moment.raised, moment.warned, moment.printed, moment.values, moment.failed


_NO_EVENTS = (None, (), "", (), ())


def _is_about_its_last(step: Step) -> bool:
    return step.claimed is not None or step.own != Expectations()


def _statements(tree: ast.Module | ast.stmt) -> Iterator[ast.stmt]:
    """Every statement that may be deleted, an outer one before its inner ones."""
    for name in ("body", "orelse"):
        for number, each in enumerate(getattr(tree, name, ())):
            form = (
                isinstance(each, ast.Assert | ast.Import | ast.ImportFrom | ast.Pass)
                or (number == 0 and _is_docstring(each))
                or (isinstance(tree, ast.If) and name == "orelse" and isinstance(each, ast.If))
                or ast.unparse(each) == "collect()"
            )
            if not form:
                yield each
            if not isinstance(each, ast.FunctionDef | ast.ClassDef):
                yield from _statements(each)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _start(node: ast.stmt) -> tuple[int, int]:
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]), node.col_offset


def _without(lines: Sequence[bytes], node: ast.stmt) -> str:
    """The text with ``0`` instead of the statement; all others keep their lines and columns."""
    first, column = _start(node)
    last, end = node.end_lineno or first, node.end_col_offset or column
    head, tail = lines[first - 1][:column], lines[last - 1][end:]
    gap = b"0".ljust(end - column) if last == first else b"0"
    blank = (b"\\\n" if tail.lstrip().startswith(b";") else b"\n") * (last - first)
    return b"".join([*lines[: first - 1], head + gap + blank + tail, *lines[last:]]).decode()


def _functions(scenario: Scenario) -> set[str]:
    trees = [ast.parse(step.run) for step in scenario.steps]
    return {node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}


def _handed(node: ast.stmt, defined: set[str]) -> list[ast.expr]:
    """The functions that a statement passes as arguments, and methods such as ``seen.append``."""
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    arguments = [a for call in calls for a in (*call.args, *(keyword.value for keyword in call.keywords))]
    return [
        each
        for each in arguments
        if isinstance(each, ast.Lambda)
        or (isinstance(each, ast.Name) and each.id in defined)
        or (isinstance(each, ast.Attribute) and each.attr == "append")
    ]


def _replaced(lines: Sequence[bytes], nodes: Sequence[ast.expr]) -> str:
    """The text with these expressions replaced by functions that raise."""
    text = list(lines)
    for node in sorted(nodes, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        first, last, end = node.lineno - 1, (node.end_lineno or 0) - 1, node.end_col_offset
        tail = text[last][end:]
        text[first] = (
            text[first][: node.col_offset] + b"(lambda *_: 1 / 0" + b"\n" * (last - first) + b")" + tail
        )
        for line in range(first + 1, last + 1):
            text[line] = b""
    return b"".join(text).decode()
