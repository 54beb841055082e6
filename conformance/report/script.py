"""A scenario as a script that runs without the suite, to send to the authors of an engine."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.language.scenario import Scenario
from conformance.report.program import annotated, snippet
from conformance.report.wording import expression
from conformance.runner.compare import Difference
from conformance.runner.engine import Engine


def script(
    scenario: Scenario, engine: Engine, first: Difference | None, shown: Sequence[tuple[str, str]]
) -> str:
    """A scenario as a script for an engine, which needs the engine alone (and its adapter, if it has one).

    It ends with the first difference, of which ``shown`` has what each side shows; without one, it is whole.
    """
    head = [f"# {scenario.id}: {scenario.title}", f"# {scenario.position.file}:{scenario.position.line}"]
    if first is None:
        return "\n".join((*head, annotated(scenario, engine)))
    comments = [f"# {name}: {line}" for name, text in shown for line in text.splitlines()[:1]]
    return "\n".join((*head, snippet(scenario, engine, first.statement, expression(first)), *comments))
