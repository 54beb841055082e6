"""The failure text: the verdict in one line, the program, the facets, snippets to paste."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from conformance.language.scenario import Scenario
from conformance.report.program import file_line, marked, snippet
from conformance.report.text import distinct_labels, label, shorten_both, table
from conformance.report.wording import expression, of_engine, verdict_line
from conformance.runner.compare import Difference
from conformance.runner.engine import Engine
from conformance.runner.trace import Statement
from conformance.runner.verdict import Outcome

_ROWS = 12  # of a table


def failure_text(scenario: Scenario, outcome: Outcome, reference: Engine, engine: Engine) -> str:
    """The failure text of an outcome that is unsound, unsupported or different."""
    lines = [verdict_line(scenario, outcome, reference, engine), *_heading(scenario)]
    if outcome.verdict == "unsound":
        lines += _flaws(scenario, outcome)
    elif outcome.differences:
        lines += _differences(scenario, outcome, reference, engine)
    elif outcome.lacking:
        lines += marked(scenario, outcome.lacking.step, outcome.lacking.line)
        lines += _snippets(scenario, outcome.lacking, "", reference, engine)
    return "\n".join(lines)


def _heading(scenario: Scenario) -> Iterator[str]:
    yield f"{scenario.position.file}:{scenario.position.line}: {scenario.title}"
    if scenario.claims:
        yield f"claim: {', '.join(scenario.claims)}"
    yield ""


def _flaws(scenario: Scenario, outcome: Outcome) -> Iterator[str]:
    first = outcome.flaws[0].position.line
    step = max((n for n, part in enumerate(scenario.steps) if part.position.line <= first), default=0)
    line = first - scenario.steps[step].position.line + 1  # of an expectation it is below the program
    yield from marked(scenario, step, min(line, len(scenario.steps[step].run.rstrip().splitlines())))
    yield ""
    for flaw in outcome.flaws:
        yield f"  {flaw}"


def _differences(scenario: Scenario, outcome: Outcome, reference: Engine, engine: Engine) -> Iterator[str]:
    first = outcome.differences[0]
    place = first.statement
    same = [difference for difference in outcome.differences if difference.statement == place]
    later = list(_news(outcome.differences, same))
    yield from marked(scenario, place.step, place.line)
    yield ""
    yield f"After {place} (line {file_line(scenario, place.step, place.line)}):"
    header = ("name", "facet", label(reference.name, reference.version), label(engine.name, engine.version))
    yield from _cut(table([header, *map(_cells, same)]))
    if later:
        yield ""
        yield "Later differences, perhaps consequences:"
        rows = [(str(each.statement), *_cells(each)) for each in later]
        yield from _cut(table([("statement", "name", "facet", *distinct_labels(reference, engine)), *rows]))
    if outcome.unclaimed:
        yield ""
        yield f"{len(outcome.unclaimed)} more differences in facets that {engine.name} does not claim."
    yield from _snippets(scenario, place, expression(first), reference, engine)


def _snippets(scenario: Scenario, place: Statement, show: str, *engines: Engine) -> Iterator[str]:
    """A snippet for each engine."""
    for each, name in zip(engines, distinct_labels(*engines), strict=True):
        yield ""
        yield f"On {name}:"
        program = snippet(scenario, each, place, show)
        yield from (f"    {line}".rstrip() for line in program.splitlines())


def _news(differences: Sequence[Difference], first: Sequence[Difference]) -> Iterator[Difference]:
    """The differences that are not repetitions: a difference lasts from statement to statement."""
    known = {difference.content for difference in first}
    for difference in differences:
        if difference.content not in known:
            known.add(difference.content)
            yield difference


def _cut(rows: Iterator[str]) -> Iterator[str]:
    """The rows of a table up to a limit, not counting the header."""
    lines = list(rows)
    yield from lines[: _ROWS + 1]
    if len(lines) > _ROWS + 1:
        yield f"  ... and {len(lines) - _ROWS - 1} more"


def _cells(difference: Difference) -> tuple[str, str, str, str]:
    prose = difference.group in ("errors", "messages")
    return (
        difference.name,
        difference.facet,
        *shorten_both(difference.reference, of_engine(difference), prose=prose),
    )


_HEADS = re.compile(
    r"(After step .*|Later differences.*|On .*|This goes beyond.*|Remove the entries.*|.* raised it in):$"
)


def coloured(text: str) -> str:
    """A failure text for a terminal: the verdict and the marked statement stand out, and so do headings."""
    first, *rest = text.split("\n")
    lines = [f"\x1b[1;31m{first}\x1b[0m"]
    for line in rest:
        style = "31" if line.startswith("> ") else "1" if _HEADS.match(line) else ""
        lines.append(f"\x1b[{style}m{line}\x1b[0m" if style else line)
    return "\n".join(lines)
