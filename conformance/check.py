"""One scenario on the reference and on an engine: the way that plugin and command line both go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from conformance.report.failure import failure_text
from conformance.report.program import file_line
from conformance.report.result import Difference, Result
from conformance.report.text import label
from conformance.report.wording import verdict_line
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.trace import Trace
from conformance.runner.verdict import Outcome, judge
from conformance.spec.scenario import Scenario

KEPT = 200  # differences of one scenario that a result holds


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check leaves: the result as plain data, and the text of a failure, empty where there is none."""

    result: Result
    text: str = ""


class Checker:
    """Checks scenarios against one reference, which runs each scenario once for all engines in a row."""

    def __init__(self, reference: Engine) -> None:
        self.reference = reference
        self._last: tuple[Scenario, Trace] | None = None

    def __call__(self, scenario: Scenario, engine: Engine) -> Checked:
        """Run ``scenario`` on both and judge; one that needs what is not there is not run."""
        if absent := [need for need in scenario.needs if not _available(self.reference.torch, need)]:
            reason = f"needs {', '.join(absent)}, which {self.reference.name} does not find on this machine"
            return Checked(self._result(scenario, engine, verdict="skipped", reason=reason))
        outcome = judge(scenario, self._trace(scenario), run(scenario, engine), engine.claims)
        result = self._result(
            scenario,
            engine,
            verdict=outcome.verdict,
            reason=verdict_line(scenario, outcome, self.reference, engine),
            claim_holds=None if outcome.verdict == "unsound" else outcome.claim_holds,
            missing=outcome.missing,
            differences=_differences(scenario, outcome),
            unclaimed=len(outcome.unclaimed),
        )
        if outcome.verdict == "agrees":
            return Checked(result)
        return Checked(result, failure_text(scenario, outcome, self.reference, engine))

    def _trace(self, scenario: Scenario) -> Trace:
        if self._last is None or self._last[0] is not scenario:
            self._last = (scenario, run(scenario, self.reference))
        return self._last[1]

    def _result(self, scenario: Scenario, engine: Engine, **outcome: Any) -> Result:
        return Result(
            scenario=scenario.id,
            title=scenario.title,
            area=scenario.area,
            file=scenario.position.file,
            line=scenario.position.line,
            claims=scenario.claims,
            reference=label(self.reference.name, self.reference.version),
            engine=engine.name,
            version=engine.version,
            **outcome,
        )


def _differences(scenario: Scenario, outcome: Outcome) -> tuple[Difference, ...]:
    return tuple(
        Difference(
            statement=str(each.statement),
            line=file_line(scenario, each.statement.step, each.statement.line),
            name=each.name,
            facet=each.facet,
            group=each.group,
            reference=each.reference,
            engine=each.engine,
        )
        for each in outcome.differences[:KEPT]
    )


def _available(torch: Any, need: str) -> bool:
    """Whether the device is there; what torch does not know is not."""
    backend = getattr(torch, need, None) or getattr(torch.backends, need, None)
    return bool(backend is not None and backend.is_available())
