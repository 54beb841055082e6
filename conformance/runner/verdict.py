"""Three verdicts, kept apart: is the scenario sound, does the document agree with torch, does the engine."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from conformance.runner.compare import Difference, differences
from conformance.runner.engine import GROUPS
from conformance.runner.program import compile_step
from conformance.runner.trace import Moment, Trace
from conformance.runner.values import bounds, holds, parsed, shortened
from conformance.spec.scenario import UNSET, Expectations, Plain, Position, Scenario, Step, Unset


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with a scenario, seen on torch."""

    position: Position
    message: str

    def __str__(self) -> str:
        return f"{self.position}: {self.message}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """All three verdicts on one scenario and one engine."""

    scenario: str
    engine: str
    verdict: Literal["agrees", "differs", "unsupported", "unsound"]
    flaws: tuple[Flaw, ...]
    claim_holds: bool
    differences: tuple[Difference, ...]  # in the groups that the engine claims
    unclaimed: tuple[Difference, ...]
    missing: tuple[str, ...]  # names of torch's that the engine lacks


def judge(scenario: Scenario, reference: Trace, trace: Trace, groups: Collection[str] = GROUPS) -> Outcome:
    """The verdicts, with what they rest on."""
    flaws = sound(scenario, reference)
    every = differences(scenario, reference, trace)
    claimed = differences(scenario, reference, trace, groups)
    missing = _missing(reference, trace, claimed)
    verdict: Literal["agrees", "differs", "unsupported", "unsound"] = "agrees"
    if flaws:
        verdict = "unsound"
    elif missing:
        verdict = "unsupported"
    elif claimed:
        verdict = "differs"
    unclaimed = tuple(difference for difference in every if difference not in claimed)
    holding = claim_holds(scenario, reference)
    return Outcome(scenario.id, trace.engine, verdict, flaws, holding, claimed, unclaimed, missing)


def _missing(reference: Trace, trace: Trace, claimed: tuple[Difference, ...]) -> tuple[str, ...]:
    """What the engine lacks, unless it differed before it came to that."""
    expected = {m.statement: m.raised.type for m in reference.moments if m.raised}
    lacking = [
        moment
        for moment in trace.moments
        if moment.raised and moment.raised.missing and expected.get(moment.statement) != moment.raised.type
    ]
    if not lacking or (claimed and claimed[0].statement != lacking[0].statement):
        return ()
    return tuple(dict.fromkeys(moment.raised.missing for moment in lacking if moment.raised))


def claim_holds(scenario: Scenario, reference: Trace) -> bool:
    """Whether torch does what the document says: the claimed keys, and by default the step's own."""
    return not any(unmet(scenario, k, claimed_of(step), reference) for k, step in enumerate(scenario.steps))


def claimed_of(step: Step) -> Expectations:
    """What the document says of a step: the claimed keys override those of the step that they name."""
    if step.claimed is None:
        return step.own
    own, claimed = step.own, step.claimed
    named = {expression for expression, _ in claimed.expect}
    kept = tuple((expression, value) for expression, value in own.expect if expression not in named)
    return replace(
        own,
        expect=(*kept, *claimed.expect),
        raises=own.raises if isinstance(claimed.raises, Unset) else claimed.raises,
        message=own.message if isinstance(claimed.message, Unset) else claimed.message,
        warns=own.warns if isinstance(claimed.warns, Unset) else claimed.warns,
    )


def sound(scenario: Scenario, reference: Trace) -> tuple[Flaw, ...]:
    """What keeps a scenario from saying anything: torch does otherwise, or there is nothing it would say."""
    flaws: list[Flaw] = []
    for k, step in enumerate(scenario.steps):
        flaws += (Flaw(step.position, message) for message in _unsound(scenario, k, step, reference))
    if not flaws and (vacuous := _vacuous(scenario, reference)):
        flaws.append(Flaw(scenario.position, vacuous))
    return tuple(flaws)


def _unsound(scenario: Scenario, k: int, step: Step, reference: Trace) -> list[str]:
    messages = unmet(scenario, k, step.own, reference)
    for moment in _moments(reference, k):
        messages += (f"on torch this does not hold: assert {text}" for text in moment.failed)
    if step.claimed is not None and not messages and not unmet(scenario, k, claimed_of(step), reference):
        messages.append("torch does what `claimed` says: it belongs to the step's own keys")
    return messages


def _vacuous(scenario: Scenario, reference: Trace) -> str:
    if scenario.claims:
        says = any(
            step.claimed is not None or step.own != Expectations() or compile_step(step.run).asserts
            for step in scenario.steps
        )
        return "" if says else "it has a claim, but no expect, raises, warns, assert or claimed"
    states = [moment.state for moment in reference.moments if moment.state is not None]
    happened = any(moment.raised or moment.warned or moment.printed for moment in reference.moments)
    changes = any(before != after for before, after in pairwise(states))
    stated = any(step.own != Expectations() or compile_step(step.run).asserts for step in scenario.steps)
    return "" if happened or changes or stated else "no state differs between two of its statements"


def _moments(trace: Trace, step: int) -> list[Moment]:
    return [moment for moment in trace.moments if moment.statement.step == step]


def unmet(scenario: Scenario, k: int, expected: Expectations, trace: Trace) -> list[str]:
    """What of a step's expectations does not hold in a trace."""
    step = scenario.steps[k]
    moments = _moments(trace, k)
    ran = [moment for moment in moments if moment.statement.kind == "run"]
    messages = _unmet_error(step, expected, ran)
    if not isinstance(expected.warns, Unset):
        texts = [warning.message for moment in ran for warning in moment.warned]
        for text in expected.warns:
            if not any(warned.startswith(text) for warned in texts):
                messages.append(f"no warning begins with {text!r}; warned: {texts or 'nothing'}")
    values = {expression: text for moment in moments for expression, text in moment.values}
    dtypes = {name: f.get("dtype") for m in moments for name, f in (m.state or {}).items() if name in values}
    for expression, wanted in expected.expect:
        messages += _unmet_value(scenario, expression, wanted, values.get(expression), dtypes.get(expression))
    return messages


def _unmet_error(step: Step, expected: Expectations, ran: list[Moment]) -> list[str]:
    moment = next((moment for moment in ran if moment.raised is not None), None)
    raised = moment.raised if moment else None
    wanted = None if isinstance(expected.raises, Unset) else expected.raises
    if raised is None or moment is None:
        if wanted is not None or (isinstance(expected.raises, Unset) and expected.message is not UNSET):
            return [f"nothing is raised, expected {wanted or 'an error'}"]
        return []
    if wanted is None and (expected.raises is None or isinstance(expected.message, Unset)):
        return [f"line {moment.statement.line} raises {raised}"]
    place = compile_step(step.run).places[compile_step(step.run).last]
    if (moment.statement.line, moment.statement.column) < place.start:
        return [f"line {moment.statement.line}, before the step's last statement, raises {raised}"]
    if wanted is not None and raised.type != wanted:
        return [f"raises {raised}, expected {wanted}"]
    if not isinstance(expected.message, Unset) and not raised.message.startswith(expected.message):
        return [f"the error says {raised.message!r}, expected it to begin with {expected.message!r}"]
    return []


def _unmet_value(
    scenario: Scenario, expression: str, wanted: Plain, text: str | None, dtype: object
) -> list[str]:
    if text is None:
        return [f"{expression} was not evaluated"]
    if text.startswith("raises "):
        return [f"{expression} {text}"]
    if holds(wanted, parsed(text), bounds(dtype, scenario.tolerance)):
        return []
    return [f"{expression} is {shortened(text, dtype)}, expected {wanted!r}"]
