"""Compare a scenario statement by statement: what each did on the reference and on an engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from conformance.language.scenario import Scenario
from conformance.report.program import file_line
from conformance.report.wording import of_engine
from conformance.runner.compare import Difference, merged, shown_value
from conformance.runner.program import compile_step
from conformance.runner.trace import Facet, Facets, Moment, State, Statement, Trace, is_error

ALIKE = "="
"""The engine's cell if it is the same as the reference's."""
MISSED = "not reached"
"""The cell of the side whose program ended before the statement."""


class ComparisonRow(NamedTuple):
    """One effect of a statement: a name with its new value, or an event."""

    name: str
    reference: str
    engine: str  # ``=``: the same
    differs: bool = False
    claimed: bool = True  # whether a difference is in a group of facets that the engine claims


@dataclass(frozen=True, slots=True)
class StatementReport:
    """One statement with all its effects."""

    statement: Statement
    line: int  # in the file
    source: str  # its first line; empty for a step's expectations
    again: str  # distinguishes statements of one line: "turn 2", "at its end"
    lines: tuple[str, ...]  # the program's lines up to the statement's end that were not listed before,
    first: int  # beginning with this line of the file
    rows: tuple[ComparisonRow, ...]

    @property
    def differs(self) -> bool:
        """Whether a new difference begins here."""
        return any(row.differs for row in self.rows)


def statement_reports(
    scenario: Scenario,
    reference: Trace,
    engine: Trace | None,
    differences: Sequence[Difference] = (),
    unclaimed: Sequence[Difference] = (),
) -> Iterator[StatementReport]:
    """The effects of each statement; a difference is listed where it begins and where it changes.

    ``unclaimed`` are differences in groups that the engine does not claim.
    """
    of_reference = {moment.statement: moment for moment in reference.moments}
    of_engine = {moment.statement: moment for moment in engine.moments} if engine else {}
    listing = _Listing(scenario)
    states: tuple[State, State] = ({}, {})
    standing: set[tuple[str, ...]] = set()
    not_claimed = {*unclaimed}
    differences = (*differences, *unclaimed)
    for place in merged(reference, engine or reference):
        here = [item for item in differences if item.statement == place]
        new = [item for item in here if item.content not in standing]
        standing = (
            {item.content for item in here} if place in of_reference and place in of_engine else standing
        )
        sides = _Side(of_reference.get(place), states[0]), _Side(of_engine.get(place), states[1])
        states = sides[0].state, sides[1].state
        if place in of_reference and (place in of_engine or engine is None):
            rows = [*_events(*sides, here, not_claimed), *_changes(*sides, new, not_claimed)]
            if engine is None:
                rows = [row._replace(engine="") for row in rows]
        else:
            rows = list(_on_one_side(*sides, by_reference=place in of_reference))
        yield listing.report(place, rows)


class _Listing:
    """Assigns each line of the program once, in order, to the statement that it belongs to."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._given = [0] * len(scenario.steps)

    def report(self, place: Statement, rows: Sequence[ComparisonRow]) -> StatementReport:
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
    """The last line of a statement without an observed body, and whether it has such a body."""
    places = compile_step(program).places
    own = next((each for each in places if each.start == (place.line, place.column)), None)
    if own is None:  # recorded before the program began
        return place.line, False
    inside = [each.start[0] for each in places if own.start < each.start <= own.end]
    return (max(min(inside) - 1, place.line), True) if inside else (own.end[0], False)


class _Side:
    """The effects of one statement on one engine."""

    def __init__(self, moment: Moment | None, before: State) -> None:
        state = moment.state if moment is not None and moment.state is not None else before
        if moment is not None and moment.values:  # evaluated expressions are shown as events
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
    """The event that a difference belongs to, if any."""
    return (
        "assert" if difference.facet.startswith("assert ") else _EVENT.get(difference.facet, difference.name)
    )


def _events(
    reference: _Side, engine: _Side, here: Sequence[Difference], not_claimed: Set[Difference]
) -> Iterator[ComparisonRow]:
    """The events of both sides; where both look alike, with the facets that differ."""
    differing: dict[str, list[Difference]] = {}
    for item in here:
        differing.setdefault(_event(item), []).append(item)
    for name in dict.fromkeys((*reference.events, *engine.events)):
        said, answered = reference.events.get(name, _NONE), engine.events.get(name, _NONE)
        items = differing.get(name, [])
        if items and said == answered:
            yield ComparisonRow(name, said, ALIKE)
            for each in items:
                yield _of_difference(each, not_claimed)
            continue
        # A missing name does not count as a difference, but the error is shown.
        differs = bool(items) or _error(name, said) != _error(name, answered)
        claimed = not items or any(each not in not_claimed for each in items)
        yield ComparisonRow(name, said, answered if differs else ALIKE, differs, claimed)


def _of_difference(item: Difference, not_claimed: Set[Difference]) -> ComparisonRow:
    what = item.name if item.facet in ("value", "is") else f"{item.name} {item.facet}".strip()
    return ComparisonRow(what, item.reference, of_engine(item), True, item not in not_claimed)


def _error(name: str, text: str) -> str:
    """The error in an event, if any."""
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


def _changes(
    reference: _Side, engine: _Side, new: Sequence[Difference], not_claimed: Set[Difference]
) -> Iterator[ComparisonRow]:
    """The changes of names; a name that begins to differ also lists each differing facet."""
    own = [item for item in new if item.facet not in _EVENT and _event(item) not in reference.events]
    differing = {item.name for item in own}
    for name in dict.fromkeys((*reference.changes, *engine.changes)):
        if name in reference.changes:
            alike = ALIKE if name in engine.state or name not in reference.state else "not bound"
            yield ComparisonRow(name, reference.changes[name], "" if name in differing else alike)
        elif name not in differing:  # on the engine alone, after an earlier difference
            yield ComparisonRow(name, "as before", engine.changes[name])
    yield from (_of_difference(item, not_claimed) for item in own)


def events(moment: Moment) -> Iterator[tuple[str, str]]:
    """The events of a moment: errors, warnings, output, assertions, values of expectations."""
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
    """The names whose state changed, with the new value or the changed facets."""
    for name in after:
        if name not in before:
            yield name, described(after[name])
        elif before[name] != after[name]:
            yield name, changed(before[name], after[name])
    for name in before:
        if name not in after:
            yield name, "None" if name.endswith(".grad") and name.removesuffix(".grad") in after else "gone"


def described(facets: Facets) -> str:
    """A value in one line: a tensor's numbers, dtype, shape, notable flags and node."""
    if "is" in facets:
        return f"the same object as {facets['is']}"
    if "shape" not in facets:
        return node(facets) if "grad_fn" in facets else str(facets.get("value"))
    words = [
        shown_value(facets.get("value"), facets.get("dtype")),
        f"{facets.get('dtype', '')}{facets['shape']}",
    ]
    words += [word for facet in _NOTABLE if (word := _notable(facet, facets.get(facet)))]
    if facets.get("grad_fn") is not None:
        words.append(node(facets))
    return "  ".join(words)


_NOTABLE = ("requires_grad", "is_leaf", "retains_grad", "output_nr", "_version", "_base", "storage")
_USUAL = (None, False, 0)  # not mentioned


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
    """The changed facets of an existing name."""
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
