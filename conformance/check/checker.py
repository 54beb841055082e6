"""Check one scenario: run it on the reference and on an engine, and judge the traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from conformance.adapters.divergences import Coverage, Divergence, cover
from conformance.adapters.recording import NotRecordedError
from conformance.check.locate import is_in_specs
from conformance.check.releases import Change, Release, change, is_shipped, not_shipped, release_of, shipped
from conformance.language.load_result import Problem
from conformance.language.scenario import Scenario
from conformance.language.words import RELEASE
from conformance.report import causes
from conformance.report.failure import failure_text
from conformance.report.frames import raised_in
from conformance.report.program import file_line
from conformance.report.result import ReportedDifference, Result
from conformance.report.text import label, shorten
from conformance.report.wording import verdict_line
from conformance.runner.bytecode import programs_of
from conformance.runner.compare import Difference, differences
from conformance.runner.engine import GROUPS, Engine, provides_traces, terms_of
from conformance.runner.execute import available, run
from conformance.runner.extras import how_to_install
from conformance.runner.probes import SECOND_DEVICE
from conformance.runner.rerun import twice
from conformance.runner.serialize import fingerprint
from conformance.runner.terms import left_out
from conformance.runner.trace import Trace
from conformance.runner.verdict import Outcome, claim_fault, judge, place_of

WAITING = 2000  # engine traces that may wait for the reference
MOST = 200  # differences of one scenario in a result
_FINE = ("agrees", "known divergence", "unsupported", "not observed")
"""The verdicts under which an engine is not at fault."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check as plain data, and the failure text, empty if there is none."""

    result: Result
    text: str = ""
    page: dict[str, Any] | None = None  # for the HTML report, if that is requested
    traceback: str = ""  # the engine's own frames of an error that decides the verdict


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A reference, its trace of a scenario, and the outcome of an engine compared with it."""

    reference: Engine
    trace: Trace
    outcome: Outcome


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

    @cached_property
    def release(self) -> Release | None:
        """The reference's release of torch, if it is not that of the specs; waits for a reference that is starting."""
        found = release_of(self.reference.name, str(self.reference.version))
        return found if found is not None and shipped() else None

    def expect(self, pairs: Iterable[tuple[Scenario, Engine]]) -> None:
        """Announce the next checks, which may run on their engines while the reference is still starting."""
        self._next = iter(pairs)

    def __call__(self, scenario: Scenario, engine: Engine, entries: Sequence[Divergence] = ()) -> CheckResult:
        """Run ``scenario`` on both and judge; ``entries`` are the engine's known divergences.

        A scenario is skipped if its needs are not met.
        """
        self._run_ahead()
        programs_of(scenario)  # judging asks for them, and they may be cached
        terms = terms_of(engine)
        if skipped := self._unmet_needs(scenario, engine):
            return skipped
        if why := left_out(scenario, terms):
            return CheckResult(self._result(scenario, engine, verdict="not observed", reason=why))
        try:
            engine_trace = self._engine_trace(scenario, engine)
            reference_trace = self._reference_trace(scenario)
        except NotRecordedError as error:
            return self._unrecorded(scenario, engine, error)
        outcome = judge(scenario, reference_trace, engine_trace, engine.claims, terms)
        compared = _Comparison(self.reference, reference_trace, outcome)
        compared, checked = self._judge(scenario, engine, entries, compared, engine_trace)
        if checked.result.verdict in ("differs", "unsupported"):
            checked = replace(checked, traceback=raised_in(compared.outcome, engine_trace))
        if engine_trace.counts:
            checked = replace(checked, result=replace(checked.result, counts=dict(engine_trace.counts)))
        if not self.pages:
            return checked
        from conformance.report.page import page

        pair = (compared.reference, engine)
        return replace(checked, page=page(scenario, compared.outcome, compared.trace, engine_trace, pair))

    def _unmet_needs(self, scenario: Scenario, engine: Engine) -> CheckResult | None:
        """The result if a need is not met: skipped, or the verdict on an engine that alone has a second device."""
        absent = [need for need in scenario.needs if not available(self.reference, need)]
        by = self.reference
        if SECOND_DEVICE in scenario.needs and not available(engine, SECOND_DEVICE):
            absent, by = absent or [SECOND_DEVICE], by if absent else engine
        elif absent == [SECOND_DEVICE]:
            return self._alone(scenario, engine)
        reason = f"needs {', '.join(absent)}, which {by.name} does not find on this machine"
        return (
            CheckResult(self._result(scenario, engine, verdict="skipped", reason=reason)) if absent else None
        )

    def _alone(self, scenario: Scenario, engine: Engine) -> CheckResult:
        """The verdict on an engine by what the scenario expects, without a reference."""
        trace = self._engine_trace(scenario, engine)
        outcome = judge(scenario, trace, trace, engine.claims, terms_of(engine))
        lacking = next((each for each in trace.moments if each.raised and each.raised.missing), None)
        if lacking is not None and lacking.raised is not None:
            names, place = (lacking.raised.missing,), lacking.statement
            outcome = replace(outcome, verdict="unsupported", flaws=(), missing=names, lacking=place)
        elif outcome.flaws:
            flaw = outcome.flaws[0]
            place = place_of(scenario, flaw.position)
            unmet = Difference(place, "", "expectation", "values", "as the scenario expects", flaw.message)
            outcome = replace(outcome, verdict="differs", flaws=(), differences=(unmet,))
        return self._checked(scenario, engine, _Comparison(self.reference, trace, outcome), ())

    def _judge(
        self,
        scenario: Scenario,
        engine: Engine,
        entries: Sequence[Divergence],
        live: _Comparison,
        engine_trace: Trace,
    ) -> tuple[_Comparison, CheckResult]:
        """The result, and the comparison that decides it: see Note [Releases of torch]."""
        agrees = live.outcome.verdict == "agrees"
        found = None
        if self.release is not None:
            found = change(self.release, scenario, live.trace, agrees=agrees, seconds=self.seconds)
        unexplained = live.outcome.verdict == "differs" if found is None else found.coverage.uncovered
        if unexplained and (flaw := self._nondeterminism(scenario, live.trace)):
            live = replace(live, outcome=replace(live.outcome, verdict="unsound", flaws=(flaw,)))
            found = None
        recording = shipped()
        if self.release is None or found is None or recording is None:
            return live, self._checked(scenario, engine, live, entries)
        outcome = judge(scenario, found.before, engine_trace, engine.claims, terms_of(engine))
        tried = [
            (each, self._checked(scenario, engine, each, entries))
            for each in (
                _Comparison(recording, found.before, outcome),
                replace(live, outcome=_without_flaws(live.outcome)),
            )
        ]
        fine = [pair for pair in tried if pair[1].result.verdict in _FINE]
        best, checked = min(fine or tried, key=lambda pair: len(pair[0].outcome.differences))
        return best, self._changed(scenario, self.release, found, live, checked) if fine else checked

    def _changed(
        self, scenario: Scenario, release: Release, found: Change, live: _Comparison, checked: CheckResult
    ) -> CheckResult:
        """The result if the engine is not at fault: a change as explained, unexplained, or no longer there."""
        coverage = found.coverage
        if not coverage.uncovered and not coverage.stale:
            holds = checked.result.claim_holds
            same = (claim_fault(scenario, live.trace) is None) == holds
            changed = tuple(entry.reason for entry in coverage.used)
            return replace(
                checked,
                result=replace(checked.result, changed=changed, claim_holds=holds if same else None),
            )
        if not coverage.uncovered:
            stale = coverage.stale[0]
            reason = f"{self.reference.name} {release.label} no longer differs as {stale.position} says"
            text = "".join(f"\n  {each.position}: {each.reason}" for each in coverage.stale)
            text = f"{reason}\n\nRemove the entries that no longer apply:{text}"
            return CheckResult(replace(checked.result, verdict="stale", reason=reason), text)
        recording = shipped() or self.reference
        beyond = replace(live.outcome, verdict="differs", differences=coverage.uncovered, unclaimed=())
        reason = verdict_line(scenario, beyond, recording, self.reference)
        text = failure_text(scenario, beyond, recording, self.reference)
        text = (
            f"changed since {release.explained}: {text}\n\n"
            "No file in specs/releases explains this: `conformance changes` drafts an entry."
        )
        result = replace(
            checked.result,
            verdict="changed",
            reason=reason,
            differences=_differences(scenario, beyond),
            since=release.explained,
        )
        return CheckResult(result, text)

    def _unrecorded(self, scenario: Scenario, engine: Engine, error: NotRecordedError) -> CheckResult:
        """The result if a recording has no trace; the suite's own is of the tiers core and standard only."""
        if not is_shipped(self.reference):
            reason = str(error)
        elif scenario.tier == "full" and is_in_specs(Path(scenario.position.file)):
            has = f"the suite's recording of torch {RELEASE} has the tiers core and standard"
            reason = f"{has}: {how_to_install('torch')}"
            return CheckResult(self._result(scenario, engine, verdict="skipped", reason=reason))
        else:
            reason = not_shipped(scenario)
        return CheckResult(self._result(scenario, engine, verdict="unrecorded", reason=reason), reason)

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
        self, scenario: Scenario, engine: Engine, compared: _Comparison, entries: Sequence[Divergence]
    ) -> CheckResult:
        outcome, reference = compared.outcome, compared.reference
        coverage = cover(scenario.id, outcome.differences, entries)
        if outcome.verdict != "unsound" and (coverage.used or coverage.stale):
            return self._declared(scenario, engine, compared, coverage)
        result = self._judged(
            scenario,
            engine,
            outcome,
            verdict=outcome.verdict,
            reason=verdict_line(scenario, outcome, reference, engine),
        )
        text = failure_text(scenario, outcome, reference, engine) if result.verdict != "agrees" else ""
        return CheckResult(result, text)

    def _declared(
        self, scenario: Scenario, engine: Engine, compared: _Comparison, coverage: Coverage
    ) -> CheckResult:
        """The result if divergences are declared: as declared, beyond that, or no longer."""
        outcome, reference = compared.outcome, compared.reference
        if coverage.known:
            reason = "; ".join(f"{entry.kind}: {entry.reason}" for entry in coverage.used)
            return CheckResult(
                self._judged(scenario, engine, outcome, verdict="known divergence", reason=reason)
            )
        if coverage.uncovered:
            beyond = replace(outcome, verdict="differs", differences=coverage.uncovered)
            reason = verdict_line(scenario, beyond, reference, engine)
            text = failure_text(scenario, beyond, reference, engine)
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
            draws=outcome.draws,
            **self._cause(scenario, outcome, verdict["verdict"]),
            differences=_differences(scenario, outcome),
            groups={group: 0 for group in GROUPS if group in engine.claims}
            | Counter(each.group for each in outcome.differences if each.group in engine.claims),
            unclaimed=dict(Counter(difference.group for difference in outcome.unclaimed)),
            **verdict,
        )

    def _cause(self, scenario: Scenario, outcome: Outcome, verdict: str) -> dict[str, Any]:
        """What describes the first difference, for a summary by cause."""
        if verdict != "differs" or not outcome.differences:
            return {}
        trace = self._reference_trace(scenario)
        cause, operations, code = causes.description(scenario, outcome.differences, trace)
        length = sum(len(step.run) for step in scenario.steps)
        return {"cause": cause, "operations": operations, "code": code, "length": length}

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


def _without_flaws(outcome: Outcome) -> Outcome:
    """The outcome where the release of the reference changed: what the scenario expects is another release's."""
    if outcome.verdict != "unsound":
        return outcome
    differs: Literal["differs", "agrees"] = "differs" if outcome.differences else "agrees"
    return replace(outcome, verdict="unsupported" if outcome.missing else differs, flaws=())
