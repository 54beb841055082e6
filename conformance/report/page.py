"""The HTML report's data of one scenario on one engine: plain data that a worker can send."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from conformance.language.scenario import Plain, Scenario, Unset
from conformance.report.drawing import Drawing, draw
from conformance.report.program import file_line, snippet
from conformance.report.statements import StatementReport, statement_reports
from conformance.report.svg import svg
from conformance.report.wording import expression
from conformance.runner.compare import is_absent
from conformance.runner.engine import Engine
from conformance.runner.printed import printed_by
from conformance.runner.trace import Moment, Statement, Trace
from conformance.runner.values import shortened
from conformance.runner.verdict import Outcome

LONGEST = 2000  # characters of one cell
LARGEST = 150  # boxes of a drawing

Page = dict[str, Any]


def page(
    scenario: Scenario, outcome: Outcome, reference: Trace, trace: Trace, engines: tuple[Engine, Engine]
) -> Page:
    """The page; without the engine's statements if it agrees."""
    torch, engine = engines
    found: Page = {
        "told": [_plain(each) for each in statement_reports(scenario, reference, None)],
        "claimed": list(_claimed(scenario, reference)),
        "snippet": snippet(scenario, torch, _last(reference), ""),
        "graph": _graph(reference, None),
        "of": engine.name,
        "own": snippet(scenario, engine, _last(reference), ""),
    }
    if outcome.verdict != "agrees":
        unclaimed = (each for each in outcome.unclaimed if not is_absent(each.facet, each.engine))
        differences = (*outcome.differences, *unclaimed)
        place = differences[0].statement if differences else outcome.lacking or _last(reference)
        show = expression(differences[0]) if differences else ""
        told = list(statement_reports(scenario, reference, trace, differences))
        first = next((each.source for each in told if each.statement == place), "")
        found["engine"] = {
            "told": [_plain(each, both=True) for each in told],
            "snippets": [snippet(scenario, each, place, show) for each in engines],
            "graphs": _graphs(reference, trace, differing=any(each.group == "graph" for each in differences)),
            "line": file_line(scenario, place.step, place.line),
            "statement": first.strip(),
            "operation": operation(first),
        }
    return found


def _plain(told: StatementReport, *, both: bool = False) -> list[Any]:
    place = told.statement
    rows = [
        [row.name, _cut(row.reference), _cut(row.engine), row.differs]
        if both
        else [row.name, _cut(row.reference)]
        for row in told.rows
    ]
    return [
        place.step,
        place.kind == "expect",
        told.line,
        told.again,
        told.source,
        told.first,
        list(told.lines),
        rows,
    ]


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]} ...{len(text) - 2 * half}... {text[-half:]}"


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


def _graph(trace: Trace, place: Statement | None) -> list[str]:
    """Statement and picture of the graph at ``place``, or after the last statement with a graph; may be empty."""
    for moment in reversed(trace.moments):
        if place is None or moment.statement == place:
            drawing = draw(moment.state or {})
            if drawing.boxes or place is not None:
                return [str(moment.statement), _picture(drawing)]
    return []


def _picture(drawing: Drawing) -> str:
    if len(drawing.boxes) > LARGEST:
        return f"{len(drawing.boxes)} nodes: too many for a page; conformance graph can draw them"
    return svg(drawing, alone=False) if drawing.boxes else "no graph"


def _graphs(reference: Trace, trace: Trace, *, differing: bool) -> list[str]:
    """The first differing graphs: the statement, the reference's and the engine's."""
    if not differing:
        return []
    of_engine = {moment.statement: moment for moment in trace.moments}
    for expected in reference.moments:
        moment = of_engine.get(expected.statement)
        if expected.state is not None and moment is not None and moment.state is not None:
            drawings = draw(expected.state), draw(moment.state)
            if drawings[0] != drawings[1]:
                return [str(expected.statement), *map(_picture, drawings)]
    return []


_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.FloorDiv: "//",
    ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip


def operation(source: str) -> str:
    """The last operation of a statement: ``backward`` of ``(a * b).sum().backward()``, an operator, an index."""
    text = source.strip()
    for suffix in ("", "pass", "\n pass"):  # a line that begins a block
        try:
            body: Sequence[ast.stmt] = ast.parse(f"{text}{suffix}").body
        except SyntaxError:
            continue
        return _operation(body[0]) if body else ""
    return text.partition("(")[0].rpartition(".")[2].strip()


def _operation(statement: ast.stmt) -> str:
    match statement:
        case ast.AugAssign(op=sign):
            return f"{_SYMBOLS.get(type(sign), '?')}="
        case ast.Assign(targets=[ast.Subscript(), *_]):
            return "[] ="
        case ast.Assign(targets=[ast.Attribute(attr=name), *_]):
            return f".{name} ="
        case ast.Assign(value=value) | ast.Expr(value=value) | ast.Return(value=ast.expr() as value):
            return _of_expression(value)
        case ast.With(items=[item, *_]):
            return f"with {_of_expression(item.context_expr)}"
    return type(statement).__name__.lower().removesuffix("def")


def _of_expression(value: ast.expr) -> str:
    found = type(value).__name__.lower()
    match value:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            found = name
        case ast.BinOp(op=sign):
            found = _SYMBOLS.get(type(sign), found)
        case ast.UnaryOp(op=ast.USub()):
            found = "neg"
        case (
            ast.Tuple(elts=[inner, *_])
            | ast.List(elts=[inner, *_])
            | ast.Subscript(value=ast.Call() as inner)
        ):
            found = _of_expression(inner)
        case ast.Subscript():
            found = "[]"
        case ast.Attribute(attr=name):
            found = f".{name}"
    return found
