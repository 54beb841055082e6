"""The autograd graph of a scenario after one statement, with saved tensors, read from traces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.language.scenario import Expectations, Scenario
from conformance.report.drawing import Drawing, Key, draw, nodes, with_saved
from conformance.report.program import file_line
from conformance.report.text import shorten
from conformance.runner.compare import shown_value
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.trace import Moment, Statement, Trace, is_error
from conformance.runner.values import parsed

LONGEST = 40  # characters of a saved value


class NoGraphError(LookupError):
    """There is no graph at that moment; the message says why."""


def drawing_of(
    scenario: Scenario,
    engine: Engine,
    *,
    step: int | None = None,
    line: int | None = None,
    saved: bool = False,
    seconds: float = 20,
) -> tuple[Statement, Drawing]:
    """The graph after a step or a line of the file; by default, after the last statement with a graph."""
    if step is not None and not 1 <= step <= len(scenario.steps):
        count = len(scenario.steps)
        raise NoGraphError(f"{scenario.id} has {count} step{'s' * (count > 1)}, there is no step {step}")
    observed = replace(scenario, observe="each")
    moment = _moment(observed, run(observed, engine, seconds=seconds), step, line)
    drawing = draw(moment.state or {})
    if saved:
        drawing = with_saved(drawing, _saved(observed, engine, moment.statement, drawing, seconds))
    return moment.statement, drawing


def _moment(scenario: Scenario, trace: Trace, step: int | None, line: int | None) -> Moment:
    found = [each for each in trace.moments if each.state is not None and each.statement.kind == "run"]
    if step is not None:
        found = [each for each in found if each.statement.step == step - 1][-1:]
    if line is not None:
        found = [
            each for each in found if file_line(scenario, each.statement.step, each.statement.line) == line
        ][-1:]
    ended = f"; it ended with {trace.moments[-1].raised}" if trace.moments[-1].raised else ""
    if not found:
        last = len(scenario.steps) - 1
        lines = file_line(scenario, 0, 1), file_line(scenario, last, scenario.steps[last].run.count("\n"))
        where = f"its programs are on the lines {lines[0]} to {max(lines)} of the file"
        raise NoGraphError(f"{scenario.id} has no statement there: {where}{ended}")
    with_graph = [each for each in found if draw(each.state or {}).boxes]
    if not with_graph:
        leaves = any(facets.get("requires_grad") for each in found for facets in (each.state or {}).values())
        why = "nothing that was computed has a name, as in `y = x * 2`" if leaves else "nothing requires grad"
        raise NoGraphError(f"{scenario.id} has no graph there: {why}{ended}")
    return with_graph[-1]


def _saved(
    scenario: Scenario, engine: Engine, place: Statement, drawing: Drawing, seconds: float
) -> dict[Key, list[str]]:
    """The saved tensors of each node, read by expectations in a second run that ends at this statement."""
    boxes = list(nodes(drawing))
    reads = tuple(
        (f"[(k, getattr(n, k)) for n in [{box.path}] for k in dir(n) if k[:7] == '_saved_']", None)
        for box in boxes
    )
    text = "\n".join(scenario.steps[place.step].run.splitlines()[: _end(scenario, place)])
    last = replace(scenario.steps[place.step], run=text, own=Expectations(expect=reads), claimed=None)
    shortened = replace(scenario, steps=(*scenario.steps[: place.step], last))
    moment = run(shortened, engine, seconds=seconds).moments[-1]
    return {
        box.key: list(_lines(moment, expression)) for box, (expression, _) in zip(boxes, reads, strict=True)
    }


def _end(scenario: Scenario, place: Statement) -> int:
    """The last line of the second run; a block is run completely."""
    import ast

    body = ast.parse(scenario.steps[place.step].run).body
    return next((node.end_lineno or 0 for node in body if (node.end_lineno or 0) >= place.line), place.line)


def _lines(moment: Moment, expression: str) -> Iterator[str]:
    text = dict(moment.values).get(expression, "")
    if is_error(text):
        yield "freed" if "freed" in text else shorten(text, LONGEST)
        return
    state = moment.state or {}
    own = {name for name in state if not name.startswith("[(k, ")}
    pairs = parsed(text)
    for number, (name, value) in enumerate(pairs if isinstance(pairs, list) else ()):
        facets = state.get(f"{expression}[{number}][1]", {})
        shown = shown_value(str(value), facets.get("dtype"))
        owner = facets.get("is", facets.get("storage"))
        if owner in own:
            same = "is" in facets or all(state[str(owner)].get(k) == facets[k] for k in ("shape", "value"))
            shown = str(owner) if same else f"{shown}, storage of {owner}"
        if value is not None:
            yield shorten(f"{name.removeprefix('_saved_')}: {shown}", LONGEST)
