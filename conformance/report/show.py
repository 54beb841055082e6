"""Show one scenario statement by statement, with the changes on torch and on the engine."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal, TypeAlias

from conformance.language.scenario import Scenario
from conformance.report.statements import ComparisonRow, StatementReport
from conformance.report.text import shorten

Style: TypeAlias = Literal["", "title", "dim", "code", "differs"]
Line: TypeAlias = list[tuple[str, Style]]
"""A line of text as pieces with styles, which a terminal can colour."""

NARROWEST = 24  # characters of a column
LINES = 3  # of a cell; longer cells are cut in the middle


@dataclass(frozen=True, slots=True)
class ScenarioHeader:
    """The head of the output: scenario, claims, engines and verdict."""

    scenario: Scenario
    says: Sequence[str]  # the claims, each with its verdict
    reference: str  # with its version
    engine: str  # with its version; empty if only the reference ran
    verdict: str
    agrees: bool


def show(
    shown: ScenarioHeader, statements: Iterable[StatementReport], *, width: int = 110, full: bool = False
) -> Iterator[Line]:
    """The output lines; with ``full`` no value is shortened."""
    for line in _lines(shown, list(statements), width, full):
        yield [(_visible(text), style) for text, style in line]


def _lines(
    shown: ScenarioHeader, statements: Sequence[StatementReport], width: int, full: bool
) -> Iterator[Line]:
    scenario = shown.scenario
    yield [(scenario.id, "title"), (f"  {scenario.title}", "")]
    yield [(f"{scenario.position.file}:{scenario.position.line}", "dim")]
    for text in shown.says:
        yield [(text, "dim")]
    if shown.verdict:
        yield [(shown.verdict, "" if shown.agrees else "differs")]
    widths = _widths(statements, shown, width, full)
    number = max((len(str(each.first + len(each.lines))) for each in statements), default=1)
    yield []
    for text in _cells(("", shown.reference, shown.engine), widths, " " * (number + 4), full):
        yield [(text, "dim")]
    step = 0
    for each in statements:
        if each.statement.step != step:
            step = each.statement.step
            yield [(f"{'':{number}} | step {step + 1}", "dim")]
        yield from _program(each, number)
        for row in each.rows:
            if full or row.claimed or not row.differs:
                yield from _row(row, widths, number, full)
    folded = sum(row.differs and not row.claimed for each in statements for row in each.rows)
    if folded and not full:
        count = "1 difference" if folded == 1 else f"{folded} differences"
        yield []
        yield [(f"{count} in facets that {shown.engine} does not claim, which --full shows", "dim")]


def _program(report: StatementReport, number: int) -> Iterator[Line]:
    for offset, text in enumerate(report.lines):
        yield [(f"{report.first + offset:{number}} | ", "dim"), (text, "code")]
    if report.statement.kind == "expect":
        yield [(f"{'':{number}} | expected after the step:", "dim")]
    elif report.rows and (report.again or not report.lines):
        again = f", {report.again}" if report.again else ""
        yield [(f"{report.line:{number}}{again} | ", "dim"), (report.source, "code")]


def _row(row: ComparisonRow, widths: Sequence[int], number: int, full: bool) -> Iterator[Line]:
    mark = " " if not row.differs else "!" if row.claimed else "."
    style: Style = "" if not row.differs else "differs" if row.claimed else "dim"
    for text in _cells(row[:3], widths, " " * (number + 1) + mark + "  ", full):
        yield [(text, style)]


def _cells(cells: Sequence[str], widths: Sequence[int], indent: str, full: bool) -> Iterator[str]:
    """A row of the table, with as many lines as its longest cell needs."""
    columns = []
    for cell, width in zip(cells, widths, strict=True):
        text = " ".join(cell.split()) if full else shorten(cell, LINES * width)
        columns.append(textwrap.wrap(text, width or 1, break_on_hyphens=False))
    for line in zip_longest(*columns, fillvalue=""):
        padded = (f"{text:{width}}" for text, width in zip(line, widths, strict=True))
        yield (indent + "  ".join(padded)).rstrip()
        indent = " " * len(indent)


def _visible(text: str) -> str:
    """The text with control characters escaped, since a scenario may print them."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _widths(
    statements: Sequence[StatementReport], shown: ScenarioHeader, width: int, full: bool
) -> tuple[int, int, int]:
    """The widths of the columns; the engine's gets at most half of the room for values."""
    rows = [("", shown.reference, shown.engine), *(row[:3] for each in statements for row in each.rows)]
    longest = [max(len(" ".join(cell.split())) for cell in column) for column in zip(*rows, strict=True)]
    name = min(longest[0], 30)
    if full:
        return longest[0], longest[1], longest[2]
    room = max(width - name - 12, 2 * NARROWEST)
    engine = min(longest[2], room // 2)
    return name, min(longest[1], room - engine), engine
