"""The HTML report's data of one scenario on one engine: plain data that a worker can send."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from conformance.language.scenario import Plain, Scenario, Unset
from conformance.report.causes import operations
from conformance.report.drawing import Drawing, draw
from conformance.report.frames import raised_in
from conformance.report.layout import place
from conformance.report.program import file_line, snippet
from conformance.report.statements import ALIKE, ComparisonRow, StatementReport, statement_reports
from conformance.report.svg import box_size
from conformance.report.text import clip_end, shorten_both
from conformance.report.wording import expression
from conformance.runner.compare import is_absent
from conformance.runner.engine import Engine
from conformance.runner.printed import printed_by
from conformance.runner.trace import Moment, Statement, Trace
from conformance.runner.values import shortened
from conformance.runner.verdict import Outcome

LONGEST = 160  # characters of one cell
LONGEST_TEXT = 500  # of an error, a warning, or what is printed
LARGEST = 60  # boxes of a drawing

Page = dict[str, Any]
"""``steps``: line of the file and program of each step. ``statements``: what each one did, see `_plain`."""


def page(
    scenario: Scenario, outcome: Outcome, reference: Trace, trace: Trace, engines: tuple[Engine, Engine]
) -> Page:
    """The page; without the engine's statements if it agrees."""
    torch, engine = engines
    programs = [step.run.rstrip() for step in scenario.steps]
    lines = [line for program in programs for line in program.splitlines()]
    found: Page = {
        "steps": [[file_line(scenario, n, 1), program] for n, program in enumerate(programs)],
        "statements": [_plain(each) for each in statement_reports(scenario, reference, None)],
        "claimed": list(_claimed(scenario, reference)),
        "snippet": _referring(snippet(scenario, torch, _last(reference), ""), lines),
        "graph": _graph(reference),
        "of": engine.name,
        "own": _referring(snippet(scenario, engine, _last(reference), ""), lines),
    }
    if outcome.verdict != "agrees":
        unclaimed = [each for each in outcome.unclaimed if not is_absent(each.facet, each.engine)]
        first_ones = outcome.differences or unclaimed
        first_place = first_ones[0].statement if first_ones else outcome.lacking or _last(reference)
        show = expression(first_ones[0]) if first_ones else ""
        reports = list(statement_reports(scenario, reference, trace, outcome.differences, unclaimed))
        first = next((each.source for each in reports if each.statement == first_place), "")
        differing = any(each.group == "graph" for each in outcome.differences)
        found["engine"] = {
            "statements": [_plain(each, both=True) for each in reports],
            "snippets": [_referring(snippet(scenario, each, first_place, show), lines) for each in engines],
            "graphs": _graphs(reference, trace) if differing else [],
            "line": file_line(scenario, first_place.step, first_place.line),
            "statement": first.strip(),
            "operation": next(iter(operations(first.strip())), ""),
            "traceback": raised_in(outcome, trace),
        }
    return found


def _plain(report: StatementReport, *, both: bool = False) -> list[Any]:
    """A statement: step, whether it is a step's expectations, its line, which turn, how many lines of the program
    it adds, its rows; a row has the reference's text, the engine's if another, and 1 for a difference, 2 for one that
    the engine does not claim."""
    where = report.statement
    rows = [_cells(row) if both else [row.name, _cut(row.name, row.reference)] for row in report.rows]
    return [where.step, int(where.kind == "expect"), report.line, report.again, len(report.lines), rows]


def _cells(row: ComparisonRow) -> list[Any]:
    if not row.differs:
        cells: list[Any] = [row.name, _cut(row.name, row.reference)]
        return cells if row.engine == ALIKE else [*cells, _cut(row.name, row.engine)]
    if row.name in _TEXTS:
        texts = _cut(row.name, row.reference), _cut(row.name, row.engine)
    else:
        texts = shorten_both(row.reference, row.engine, LONGEST)
    return [row.name, *texts, 1 if row.claimed else 2]


_TEXTS = ("raises", "warns", "prints", "message", "assert", "snippets")


def _cut(name: str, text: str) -> str:
    """A text cut at its end, a value in its middle, between two of its parts."""
    if name in _TEXTS:
        return clip_end(text, LONGEST_TEXT)
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    head, tail = text[:half].rpartition(" ")[0] or text[:half], text[-half:].partition(" ")[2] or text[-half:]
    return f"{head} ...{len(text) - len(head) - len(tail)}... {tail}"


def _referring(text: str, lines: Sequence[str]) -> list[Any]:
    """A snippet, with a pair of line numbers for consecutive lines of the program."""
    found: list[Any] = []
    at = 0
    for line in text.split("\n"):
        number = next((n for n in range(at, len(lines)) if lines[n] == line), -1)
        if number < 0:
            found.append(line)
            continue
        if found and isinstance(found[-1], list) and found[-1][1] == number:
            found[-1][1] = number + 1
        else:
            found.append([number, number + 1])
        at = number + 1
    return found


def _last(trace: Trace) -> Statement:
    """The last statement of the program that was reached."""
    places = [moment.statement for moment in trace.moments if moment.statement.kind == "run"]
    return max(places, key=lambda place: (place.step, place.line), default=Statement(0, 1))


def _claimed(scenario: Scenario, reference: Trace) -> Iterator[list[str]]:
    """What the document says and what torch does, where they differ."""
    for number, step in enumerate(scenario.steps):
        if step.claimed is None:
            continue
        moments = [moment for moment in reference.moments if moment.statement.step == number]
        values = {name: text for moment in moments for name, text in moment.values}
        for name, value in step.claimed.expect:
            yield [
                f"step {number + 1}",
                name,
                _written(value),
                shortened(values.get(name, "?"), _dtype(moments, name)),
            ]
        if not isinstance(step.claimed.raises, Unset):
            said = step.claimed.raises or "raises nothing"
            message = "" if isinstance(step.claimed.message, Unset) else f": {step.claimed.message}"
            raised = next((str(moment.raised) for moment in moments if moment.raised), "raises nothing")
            yield [f"step {number + 1}", "", f"{said}{message}", raised]
        elif not isinstance(step.claimed.message, Unset):
            raised = next((moment.raised.message for moment in moments if moment.raised), "raises nothing")
            yield [f"step {number + 1}", "message", step.claimed.message, raised]
        if not isinstance(step.claimed.warns, Unset):
            warned = "; ".join(str(each) for moment in moments for each in moment.warned)
            yield [f"step {number + 1}", "warns", "; ".join(step.claimed.warns), warned or "nothing"]
        if not isinstance(step.claimed.prints, Unset):
            said, printed = step.claimed.prints.strip("\n"), printed_by(moments)
            yield [f"step {number + 1}", "prints", said or "nothing", printed or "nothing"]


def _dtype(moments: Iterable[Moment], name: str) -> object:
    facets = [moment.state[name] for moment in moments if moment.state and name in moment.state]
    return facets[-1].get("dtype") if facets else None


def _written(value: Plain) -> str:
    return "None" if value is None else str(value)


def _graph(trace: Trace) -> list[Any]:
    """Statement and picture of the graph after the last statement that has one; may be empty."""
    for moment in reversed(trace.moments):
        drawing = draw(moment.state or {})
        if drawing.boxes:
            return [str(moment.statement), picture(drawing)]
    return []


def picture(drawing: Drawing) -> Any:
    """What scripts draw: the size, boxes and arrows; or a text.

    A box is its kind, its lines, its tensors, its middle, and 1 if it is retained; an arrow is the numbers of boxes,
    the points between them, and its label if it has one.
    """
    if not drawing.boxes:
        return "no graph"
    if len(drawing.boxes) > LARGEST:
        return f"{len(drawing.boxes)} nodes: too many for a page; conformance graph can draw them"
    layout = place(
        {box.key: box_size(box) for box in drawing.boxes}, [(each.start, each.end) for each in drawing.arrows]
    )
    numbers = {box.key: number for number, box in enumerate(drawing.boxes)}
    boxes = [
        [
            box.kind,
            list(box.lines),
            list(box.tensors),
            *map(round, layout.places[box.key]),
            *[1] * box.retained,
        ]
        for box in drawing.boxes
    ]
    arrows = [
        [
            numbers[arrow.start],
            numbers[arrow.end],
            *(round(number) for point in points[2:-2] for number in point),
            *[arrow.label] * bool(arrow.label),
        ]
        for arrow, points in zip(drawing.arrows, layout.arrows, strict=True)
    ]
    return [round(layout.width), round(layout.height), boxes, arrows]


def _graphs(reference: Trace, trace: Trace) -> list[Any]:
    """The first differing graphs: the statement, the reference's and the engine's."""
    of_engine = {moment.statement: moment for moment in trace.moments}
    for expected in reference.moments:
        moment = of_engine.get(expected.statement)
        if expected.state is not None and moment is not None and moment.state is not None:
            drawings = draw(expected.state), draw(moment.state)
            if drawings[0] != drawings[1]:
                return [str(expected.statement), *map(picture, drawings)]
    return []
