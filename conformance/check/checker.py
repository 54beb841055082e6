"""Check one scenario: run it on the reference and on an engine, and judge the traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.adapters.divergences import Coverage, Divergence, cover
from conformance.adapters.recording import NotRecordedError
from conformance.language.load_result import Problem
from conformance.language.scenario import Scenario
from conformance.report.failure import failure_text
from conformance.report.program import file_line
from conformance.report.result import ReportedDifference, Result
from conformance.report.text import label, shorten
from conformance.report.wording import verdict_line
from conformance.runner.compare import differences
from conformance.runner.engine import GROUPS, Engine, provides_traces
from conformance.runner.execute import available, run
from conformance.runner.rerun import twice
from conformance.runner.serialize import fingerprint
from conformance.runner.trace import Trace
from conformance.runner.verdict import Outcome, judge

WAITING = 2000  # engine traces that may wait for the reference
MOST = 200  # differences of one scenario in a result


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check as plain data, and the failure text, empty if there is none."""

    result: Result
    text: str = ""
    page: dict[str, Any] | None = None  # for the HTML report, if that is requested


class Checker:
    """Checks scenarios against one reference, which runs a scenario once for consecutive engines."""

    def __init__(
        self, reference: Engine, *, seconds: float = 20, pages: bool = False, wall: bool = True
    ) -> None:
        self.reference = reference
        self.wall = wall  # around programs that run in this process
        self.pages = pages
        self.seconds = seconds  # the time limit of a scenario on each engine
        self._last: tuple[Scenario, Trace] | None = None
        self._next: Iterator[tuple[Scenario, Engine]] = iter(())
        self._ahead: dict[tuple[str, int], Trace] = {}  # traces for later checks: scenario, id of engine

    def expect(self, pairs: Iterable[tuple[Scenario, Engine]]) -> None:
        """Announce the next checks, which may run on their engines while the reference is still starting."""
        self._next = iter(pairs)

    def __call__(self, scenario: Scenario, engine: Engine, entries: Sequence[Divergence] = ()) -> CheckResult:
        """Run ``scenario`` on both and judge; ``entries`` are the engine's known divergences.

        A scenario is skipped if its needs are not met.
        """
        self._run_ahead()
        if absent := [need for need in scenario.needs if not available(self.reference, need)]:
            reason = f"needs {', '.join(absent)}, which {self.reference.name} does not find on this machine"
            return CheckResult(self._result(scenario, engine, verdict="skipped", reason=reason))
        try:
            engine_trace = self._engine_trace(scenario, engine)
            reference_trace = self._reference_trace(scenario)
        except NotRecordedError as error:
            return CheckResult(
                self._result(scenario, engine, verdict="unrecorded", reason=str(error)), str(error)
            )
        outcome = judge(scenario, reference_trace, engine_trace, engine.claims)
        if outcome.verdict == "differs" and (flaw := self._nondeterminism(scenario, reference_trace)):
            outcome = replace(outcome, verdict="unsound", flaws=(flaw,))
        checked = self._checked(scenario, engine, outcome, entries)
        if not self.pages:
            return checked
        from conformance.report.page import page

        pair = (self.reference, engine)
        return replace(checked, page=page(scenario, outcome, reference_trace, engine_trace, pair))

    def _nondeterminism(self, scenario: Scenario, first_run: Trace) -> Problem | None:
        """A problem if the reference differs from itself, for example by addresses or uninitialized memory."""
        torch = self.reference
        again = differences(scenario, first_run, self._run(scenario, torch))
        again = again or differences(scenario, *twice(scenario, torch, seconds=self.seconds, wall=self.wall))
        if not again:
            return None
        first = again[0]
        step = scenario.steps[first.statement.step]
        what = " ".join(filter(None, (first.name, first.facet if first.facet != "value" else "")))
        message = f"{what} is {shorten(first.reference, 48)} at first, and {shorten(first.engine, 48)} when run again"
        hint = "leave out what differs from run to run, such as id(), data_ptr() and torch.empty()"
        return Problem(
            replace(step.position, line=step.position.line + first.statement.line - 1, column=1),
            message,
            hint,
        )

    def _checked(
        self, scenario: Scenario, engine: Engine, outcome: Outcome, entries: Sequence[Divergence]
    ) -> CheckResult:
        coverage = cover(scenario.id, outcome.differences, entries)
        if outcome.verdict != "unsound" and (coverage.used or coverage.stale):
            return self._declared(scenario, engine, outcome, coverage)
        result = self._judged(
            scenario,
            engine,
            outcome,
            verdict=outcome.verdict,
            reason=verdict_line(scenario, outcome, self.reference, engine),
        )
        text = failure_text(scenario, outcome, self.reference, engine) if result.verdict != "agrees" else ""
        return CheckResult(result, text)

    def _declared(
        self, scenario: Scenario, engine: Engine, outcome: Outcome, coverage: Coverage
    ) -> CheckResult:
        """The result if divergences are declared: as declared, beyond that, or no longer."""
        if coverage.known:
            reason = "; ".join(f"{entry.kind}: {entry.reason}" for entry in coverage.used)
            return CheckResult(
                self._judged(scenario, engine, outcome, verdict="known divergence", reason=reason)
            )
        if coverage.uncovered:
            beyond = replace(outcome, verdict="differs", differences=coverage.uncovered)
            reason = verdict_line(scenario, beyond, self.reference, engine)
            text = failure_text(scenario, beyond, self.reference, engine)
            if coverage.used:
                text += "\n\nThis goes beyond what is declared at:"
            verdict = "differs"
        else:
            beyond, verdict = outcome, "stale"
            reason = f"{engine.name} no longer differs as declared at {coverage.stale[0].position}"
            text = f"{reason}\n\nRemove the entries that no longer apply:"
        about = coverage.used if coverage.uncovered else coverage.stale
        text += "".join(f"\n  {entry.position}: {entry.kind}: {entry.reason}" for entry in about)
        return CheckResult(self._judged(scenario, engine, beyond, verdict=verdict, reason=reason), text)

    def _run_ahead(self) -> None:
        """Run the next scenarios on their engines instead of waiting for the reference."""
        while len(self._ahead) < WAITING and provides_traces(self.reference) and self.reference.starting():
            if not (pair := next(self._next, None)):
                return
            scenario, engine = pair
            self._ahead[scenario.id, id(engine)] = self._run(scenario, engine)

    def _engine_trace(self, scenario: Scenario, engine: Engine) -> Trace:
        trace = self._ahead.pop((scenario.id, id(engine)), None)
        return trace or self._run(scenario, engine)

    def _run(self, scenario: Scenario, engine: Engine) -> Trace:
        return run(scenario, engine, seconds=self.seconds, wall=self.wall)

    def _reference_trace(self, scenario: Scenario) -> Trace:
        if self._last is None or self._last[0] is not scenario:
            self._last = (scenario, self._run(scenario, self.reference))
        return self._last[1]

    def _judged(self, scenario: Scenario, engine: Engine, outcome: Outcome, **verdict: Any) -> Result:
        return self._result(
            scenario,
            engine,
            claim_holds=None if outcome.verdict == "unsound" else outcome.claim_fault is None,
            claim_fault=str(outcome.claim_fault) if outcome.claim_fault else "",
            missing=outcome.missing,
            differences=_differences(scenario, outcome),
            groups={group: 0 for group in GROUPS if group in engine.claims}
            | Counter(each.group for each in outcome.differences if each.group in engine.claims),
            unclaimed=dict(Counter(difference.group for difference in outcome.unclaimed)),
            **verdict,
        )

    def _result(self, scenario: Scenario, engine: Engine, **outcome: Any) -> Result:
        return Result(
            scenario=scenario.id,
            title=scenario.title,
            area=scenario.area,
            file=scenario.position.file,
            line=scenario.position.line,
            claims=scenario.claims,
            reference=label(self.reference.name, self.reference.version),
            engine=str(engine.name),  # torch.__version__ has a class of its own, which xdist cannot serialize
            version=_version(engine),
            fingerprint=fingerprint(scenario),
            tier=scenario.tier,
            **outcome,
        )


def _version(engine: Engine) -> str:
    """The version, and what the engine's programs may do beyond the wall."""
    may = sorted(getattr(engine, "may", ()))
    return f"{engine.version} (may use {', '.join(may)})" if may else str(engine.version)


def _differences(scenario: Scenario, outcome: Outcome) -> tuple[ReportedDifference, ...]:
    return tuple(
        ReportedDifference(
            statement=str(each.statement),
            line=file_line(scenario, each.statement.step, each.statement.line),
            name=each.name,
            facet=each.facet,
            group=each.group,
            reference=each.reference,
            engine=each.engine,
        )
        for each in outcome.differences[:MOST]
    )
