"""A scenario statement by statement: what each did on the reference, and beside it on an engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from conformance.language.scenario import Scenario
from conformance.report.program import file_line
from conformance.runner.compare import Difference, merged, shown_value
from conformance.runner.program import compile_step
from conformance.runner.trace import Facet, Facets, Moment, State, Statement, Trace, is_error

ALIKE = "="
"""What stands for the engine where it does as the reference."""
MISSED = "not reached"
"""What stands for the one whose program ended before."""


class ComparisonRow(NamedTuple):
    """One thing that a statement did: a name and what became of it, or an event without a name."""

    name: str
    reference: str
    engine: str  # ``=``: the same
    differs: bool = False


@dataclass(frozen=True, slots=True)
class StatementReport:
    """One statement with all it did."""

    statement: Statement
    line: int  # in the file
    source: str  # its first line; empty for a step's expectations
    again: str  # why it is told apart from its line: "turn 2", "at its end"
    lines: tuple[str, ...]  # of the program, up to its end, that no statement before had; they begin at
    first: int  # this line of the file
    rows: tuple[ComparisonRow, ...]

    @property
    def differs(self) -> bool:
        """Whether the engine differs here where it did not before."""
        return any(row.differs for row in self.rows)


def statement_reports(
    scenario: Scenario, reference: Trace, engine: Trace | None, differences: Sequence[Difference] = ()
) -> Iterator[StatementReport]:
    """What each statement did; a difference is told where it begins, and again where it changes."""
    of_reference = {moment.statement: moment for moment in reference.moments}
    of_engine = {moment.statement: moment for moment in engine.moments} if engine else {}
    listing = _Listing(scenario)
    states: tuple[State, State] = ({}, {})
    standing: set[tuple[str, ...]] = set()
    for place in merged(reference, engine or reference):
        here = [item for item in differences if item.statement == place]
        new = [item for item in here if item.content not in standing]
        standing = (
            {item.content for item in here} if place in of_reference and place in of_engine else standing
        )
        sides = _Side(of_reference.get(place), states[0]), _Side(of_engine.get(place), states[1])
        states = sides[0].state, sides[1].state
        if place in of_reference and (place in of_engine or engine is None):
            rows = [*_events(*sides, here), *_changes(*sides, new)]
            if engine is None:
                rows = [row._replace(engine="") for row in rows]
        else:
            rows = list(_on_one_side(*sides, by_reference=place in of_reference))
        yield listing.told(place, rows)


class _Listing:
    """The lines of the program, each given once, in order, with the statement that it belongs to."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._given = [0] * len(scenario.steps)

    def told(self, place: Statement, rows: Sequence[ComparisonRow]) -> StatementReport:
        step, given = self._scenario.steps[place.step], self._given[place.step]
        lines = step.run.rstrip().splitlines()
        source, again, end = "", [], len(lines)
        if place.kind == "run":
            end, body = _extent(step.run, place)
            source = lines[place.line - 1].encode()[place.column :].decode() if lines else ""
            again = [f"turn {turn + 1}" for turn in place.turn if any(place.turn)]
            again += ["at its end"] if body else []
        end = self._given[place.step] = max(given, end)
        line, first = (file_line(self._scenario, place.step, number) for number in (place.line, given + 1))
        return StatementReport(
            place, line, source, ", ".join(again), tuple(lines[given:end]), first, tuple(rows)
        )


def _extent(program: str, place: Statement) -> tuple[int, bool]:
    """The last line of a statement, without a body that is observed, and whether it has one."""
    places = compile_step(program).places
    own = next((each for each in places if each.start == (place.line, place.column)), None)
    if own is None:  # what was noted before the program began
        return place.line, False
    inside = [each.start[0] for each in places if own.start < each.start <= own.end]
    return (max(min(inside) - 1, place.line), True) if inside else (own.end[0], False)


class _Side:
    """What one statement did on one engine."""

    def __init__(self, moment: Moment | None, before: State) -> None:
        state = moment.state if moment is not None and moment.state is not None else before
        if moment is not None and moment.values:  # what was evaluated is shown as that
            state = {name: facets for name, facets in state.items() if name in before}
        self.state = state
        self.events = dict(events(moment)) if moment is not None else {}
        self.changes = dict(changes(before, self.state))


_EVENT = {
    "raised": "raises",
    "message": "raises",
    "warned": "warns",
    "printed": "prints",
    "reached": "reached",
}
_NONE = "nothing"


def _event(difference: Difference) -> str:
    """The event that a difference is of, if it is of one."""
    return (
        "assert" if difference.facet.startswith("assert ") else _EVENT.get(difference.facet, difference.name)
    )


def _events(reference: _Side, engine: _Side, here: Sequence[Difference]) -> Iterator[ComparisonRow]:
    """What happened, on both."""
    differing = {_event(item) for item in here}
    for name in dict.fromkeys((*reference.events, *engine.events)):
        said, answered = reference.events.get(name, _NONE), engine.events.get(name, _NONE)
        # What an engine lacks is no difference, but that it raised is seen.
        differs = name in differing or _error(name, said) != _error(name, answered)
        yield ComparisonRow(name, said, answered if differs else ALIKE, differs)


def _error(name: str, text: str) -> str:
    """The error that an event tells of, if it tells of one."""
    return text if name == "raises" or is_error(text) else ""


def _on_one_side(reference: _Side, engine: _Side, *, by_reference: bool) -> Iterator[ComparisonRow]:
    """What happened on the side that reached the statement; an error ended the other one earlier."""
    side = reference if by_reference else engine
    for name, text in {**side.changes, **side.events}.items():
        yield (
            ComparisonRow(name, text, MISSED)
            if by_reference
            else ComparisonRow(name, MISSED, text, name == "raises")
        )


def _changes(reference: _Side, engine: _Side, new: Sequence[Difference]) -> Iterator[ComparisonRow]:
    """What became of names; of one that begins to differ, also each differing facet by itself."""
    own = [item for item in new if item.facet not in _EVENT and _event(item) not in reference.events]
    differing = {item.name for item in own}
    for name in dict.fromkeys((*reference.changes, *engine.changes)):
        if name in reference.changes:
            alike = ALIKE if name in engine.state or name not in reference.state else "not bound"
            yield ComparisonRow(name, reference.changes[name], "" if name in differing else alike)
        elif name not in differing:  # on the engine alone, after an earlier difference
            yield ComparisonRow(name, "as before", engine.changes[name])
    for item in own:
        what = item.name if item.facet in ("value", "is") else f"{item.name} {item.facet}"
        yield ComparisonRow(what, item.reference, item.engine, differs=True)


def events(moment: Moment) -> Iterator[tuple[str, str]]:
    """What happened beside the state."""
    if moment.raised is not None:
        yield "raises", str(moment.raised)
    if moment.warned:
        yield "warns", "\n".join(map(str, moment.warned))
    if moment.printed:
        yield "prints", moment.printed.rstrip()
    if moment.failed:
        yield "assert", "\n".join(f"{text} does not hold" for text in moment.failed)
    dtypes = {name: facets.get("dtype") for name, facets in (moment.state or {}).items()}
    for expression, text in moment.values:
        yield expression, shown_value(text, dtypes.get(expression))


def changes(before: State, after: State) -> Iterator[tuple[str, str]]:
    """The names whose state changed, each with what it is now, or with what changed."""
    for name in after:
        if name not in before:
            yield name, described(after[name])
        elif before[name] != after[name]:
            yield name, changed(before[name], after[name])
    for name in before:
        if name not in after:
            yield name, "None" if name.endswith(".grad") and name.removesuffix(".grad") in after else "gone"


def described(facets: Facets) -> str:
    """A value in a line: of a tensor its numbers, dtype and shape, what is notable about it, its node."""
    if "is" in facets:
        return f"the same object as {facets['is']}"
    if "shape" not in facets:
        return node(facets) if "grad_fn" in facets else str(facets.get("value"))
    words = [shown_value(facets.get("value"), facets.get("dtype")), f"{facets['dtype']}{facets['shape']}"]
    words += [word for facet in _NOTABLE if (word := _notable(facet, facets.get(facet)))]
    if facets.get("grad_fn") is not None:
        words.append(node(facets))
    return "  ".join(words)


_NOTABLE = ("requires_grad", "is_leaf", "retains_grad", "output_nr", "_version", "_base", "storage")
_USUAL = (None, False, 0)  # not worth a word


def _notable(facet: str, value: Facet) -> str:
    if value in _USUAL:
        return ""
    if value is True:
        return "leaf" if facet == "is_leaf" else facet
    if is_error(value):
        return f"{facet} {value}"
    return {"_base": f"view of {value}", "storage": f"shares storage with {value}"}.get(
        facet, f"{facet} {value}"
    )


def node(facets: Facets) -> str:
    """A node with its edges: ``MulBackward0(AccumulateGrad(a), None)``."""
    edges = str(facets.get("edges", ""))
    if edges.startswith("as "):
        return f"{facets['grad_fn']}, that of {edges.removeprefix('as ')}"
    first, *more = edges.split("\n")
    return "; ".join([f"{facets['grad_fn']}{first or '()'}", *more])


def changed(before: Facets, after: Facets) -> str:
    """What changed of a name that there was."""
    if ("shape" in before) != ("shape" in after) or "is" in before or "is" in after:
        return described(after)
    parts = []
    for facet in dict.fromkeys((*before, *after)):
        old, new = before.get(facet), after.get(facet)
        if old == new or facet in ("edges", "name()"):
            continue
        if facet == "grad_fn" and new is not None:
            new = node(after)
        dtypes = (before.get("dtype"), after.get("dtype")) if facet == "value" else (None, None)
        shown = f"{shown_value(old, dtypes[0])} → {shown_value(new, dtypes[1])}"
        parts.append(shown if facet == "value" else f"{facet} {shown}")
    if before.get("grad_fn") == after.get("grad_fn") and before.get("edges") != after.get("edges"):
        parts.append(f"edges {node(before)} → {node(after)}")
    return ", ".join(parts) or described(after)
