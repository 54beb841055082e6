"""Why a scenario failed, as text: the verdict in a line, the program, the facets, what to paste."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.report.program import file_line, marked, snippet
from conformance.report.text import table
from conformance.report.wording import expression, verdict_line
from conformance.runner.compare import Difference
from conformance.runner.engine import Engine
from conformance.runner.verdict import Outcome
from conformance.spec.scenario import Scenario

_CONSEQUENCES = 12  # rows of later differences


def failure_text(scenario: Scenario, outcome: Outcome, reference: Engine, engine: Engine) -> str:
    """The whole text of a failure: unsound, unsupported or different."""
    lines = [verdict_line(scenario, outcome, reference, engine), *_heading(scenario)]
    if outcome.verdict == "unsound":
        lines += _flaws(scenario, outcome)
    elif outcome.differences:
        lines += _differences(scenario, outcome, reference, engine)
    return "\n".join(lines)


def _heading(scenario: Scenario) -> Iterator[str]:
    yield f"{scenario.position.file}:{scenario.position.line}: {scenario.title}"
    if scenario.claims:
        yield f"claim: {', '.join(scenario.claims)}"
    yield ""


def _flaws(scenario: Scenario, outcome: Outcome) -> Iterator[str]:
    first = outcome.flaws[0].position.line
    step = max((n for n, part in enumerate(scenario.steps) if part.position.line <= first), default=0)
    yield from marked(scenario, step, first - scenario.steps[step].position.line + 1)
    yield ""
    for flaw in outcome.flaws:
        yield f"  {flaw}"


def _differences(scenario: Scenario, outcome: Outcome, reference: Engine, engine: Engine) -> Iterator[str]:
    first = outcome.differences[0]
    place = first.statement
    same = [difference for difference in outcome.differences if difference.statement == place]
    later = [difference for difference in outcome.differences if difference.statement != place]
    yield from marked(scenario, place.step, place.line)
    yield ""
    yield f"After {place} (line {file_line(scenario, place.step, place.line)}):"
    header = ("name", "facet", f"{reference.name} {reference.version}", f"{engine.name} {engine.version}")
    yield from table([header, *(_row(difference) for difference in same)])
    if later:
        yield ""
        yield "What follows, perhaps as a consequence:"
        rows = [(str(item.statement), *_row(item)) for item in later[:_CONSEQUENCES]]
        yield from table([("statement", "name", "facet", reference.name, engine.name), *rows])
        if len(later) > _CONSEQUENCES:
            yield f"  ... and {len(later) - _CONSEQUENCES} more"
    if outcome.unclaimed:
        yield ""
        yield f"{len(outcome.unclaimed)} more in facets that {engine.name} does not claim."
    for each in (reference, engine):
        yield ""
        yield f"On {each.name}:"
        program = snippet(scenario, each, place, expression(first))
        yield from (f"    {line}".rstrip() for line in program.splitlines())


def _row(difference: Difference) -> tuple[str, str, str, str]:
    return difference.name, difference.facet, difference.reference, difference.engine
