"""Three separate verdicts: is the scenario sound, does the document agree with torch, does the engine."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain, pairwise, takewhile
from typing import Literal, NamedTuple

from conformance.language.load_result import Problem
from conformance.language.scenario import Expectations, Plain, Position, Scenario, Step, Unset
from conformance.runner.compare import (
    DIED,
    Difference,
    counts,
    differences,
    is_unused_option,
    nothing_claimed,
)
from conformance.runner.engine import EVERYWHERE, GROUPS, Terms
from conformance.runner.printed import misprint, printed_by
from conformance.runner.program import compile_step
from conformance.runner.states import resolved
from conformance.runner.terms import on_terms
from conformance.runner.trace import NOT_READ, Moment, State, Statement, Trace, is_error
from conformance.runner.values import as_yaml, bounds, holds, parsed, shortened


@dataclass(frozen=True, slots=True)
class Outcome:
    """All three verdicts on one scenario and one engine."""

    scenario: str
    engine: str
    verdict: Literal["agrees", "differs", "unsupported", "unsound", "not observed"]
    flaws: tuple[Problem, ...]  # mistakes of the scenario, found on torch
    claim_fault: Problem | None  # where torch does something else than the document says
    differences: tuple[Difference, ...]  # in the groups that the engine claims
    unclaimed: tuple[Difference, ...]
    missing: tuple[str, ...]  # names of torch that the engine lacks
    lacking: Statement | None = None  # where the first of them is used
    draws: bool = False  # whether the reference draws random numbers


def judge(
    scenario: Scenario,
    reference: Trace,
    trace: Trace,
    groups: Collection[str] = GROUPS,
    terms: Terms = EVERYWHERE,
) -> Outcome:
    """All verdicts with their reasons; for an engine that is torch itself elsewhere, on its terms."""
    flaws = flaws_on_torch(scenario, reference)
    fault = claim_fault(scenario, reference)
    if terms is not EVERYWHERE:
        scenario, reference, trace = on_terms(terms, scenario, reference, trace)
    every = differences(scenario, reference, trace)
    if {*groups} != {*GROUPS}:  # one that claims all has all options
        every = tuple(each for each in every if not is_unused_option(scenario, each))
    lacking = _lacking(reference, trace)
    relevant: Iterable[Difference] = every
    if lacking:  # differences from the missing name on do not count
        relevant = takewhile(lambda difference: difference.statement != lacking[0].statement, every)
    claimed = tuple(difference for difference in relevant if counts(difference, groups))
    missing = () if claimed else _names(lacking)
    verdict: Literal["agrees", "differs", "unsupported", "unsound", "not observed"] = "agrees"
    if flaws:
        verdict = "unsound"
    elif missing:
        verdict = "unsupported"
    elif claimed:
        verdict = "differs"
    elif (terms.counted and not trace.counts.get(terms.counted)) or nothing_claimed(
        scenario, reference, trace, groups
    ):
        verdict = "not observed"
    unclaimed = tuple(difference for difference in every if not counts(difference, groups))
    place = lacking[0].statement if missing else None
    draws = any(moment.drew for moment in reference.moments)
    return Outcome(
        scenario.id, trace.engine, verdict, flaws, fault, claimed, unclaimed, missing, place, draws
    )


def _lacking(reference: Trace, trace: Trace) -> list[Moment]:
    """The moments at which the engine lacked a name and the reference did not raise the same type."""
    expected = {m.statement: m.raised.type for m in reference.moments if m.raised}
    return [
        moment
        for moment in trace.moments
        if moment.raised and moment.raised.missing and expected.get(moment.statement) != moment.raised.type
    ]


def _names(lacking: list[Moment]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(moment.raised.missing for moment in lacking if moment.raised))


def claim_fault(scenario: Scenario, reference: Trace) -> Problem | None:
    """The first place at which torch does not do what the document says: the claimed keys, and else the step's own."""
    for k, step in enumerate(scenario.steps):
        for line, message, hint, place in _unmet(scenario, k, claimed_of(step), reference):
            return Problem(place or _position(step, line), message, hint)
    return None


def claimed_of(step: Step) -> Expectations:
    """What the document says of a step: the claimed keys override the step's own."""
    if step.claimed is None:
        return step.own
    own, claimed = step.own, step.claimed
    named = {expression for expression, _ in claimed.expect}
    kept = [number for number, (expression, _) in enumerate(own.expect) if expression not in named]
    return replace(
        own,
        expect=(*(own.expect[number] for number in kept), *claimed.expect),
        places=(*(own.places[number] for number in kept if own.places), *claimed.places),
        raises=own.raises if isinstance(claimed.raises, Unset) else claimed.raises,
        message=own.message if isinstance(claimed.message, Unset) else claimed.message,
        warns=own.warns if isinstance(claimed.warns, Unset) else claimed.warns,
        prints=own.prints if isinstance(claimed.prints, Unset) else claimed.prints,
        prints_at=claimed.prints_at or own.prints_at,
    )


def flaws_on_torch(scenario: Scenario, reference: Trace) -> tuple[Problem, ...]:
    """The mistakes that make a scenario unsound: torch does something else, or the scenario checks nothing."""
    flaws: list[Problem] = []
    if reference.moments and (ending := _ending(reference.moments[-1])):  # what comes after it says nothing
        step = scenario.steps[reference.moments[-1].statement.step]
        return (Problem(_position(step, ending.line), ending.message, ending.hint),)
    for k, step in enumerate(scenario.steps):
        own = _unmet(scenario, k, step.own, reference)
        if step.claimed is not None and not own and not _unmet(scenario, k, claimed_of(step), reference):
            own.append(_Unmet(1, "torch does what `claimed` says: move it to the step's own keys"))
        to_claim = _TO_CLAIM if scenario.claims and step.claimed is None else ""
        flaws += (
            Problem(place or _position(step, line), message, hint or to_claim)
            for line, message, hint, place in own
        )
    if not flaws and (vacuous := _vacuous(scenario, reference)):
        flaws.append(Problem(scenario.position, vacuous, "say under `expect` what torch does"))
    return tuple(flaws)


_TO_CLAIM = "if this is what the document says, write it under `claimed`, and what torch does here"


def _position(step: Step, line: int) -> Position:
    return replace(
        step.position, line=step.position.line + line - 1, column=step.position.column if line == 1 else 1
    )


def place_of(scenario: Scenario, position: Position) -> Statement:
    """The statement at a position of the file, or the last one of the step in which it is."""
    step = max((n for n, part in enumerate(scenario.steps) if part.position.line <= position.line), default=0)
    lines = scenario.steps[step].run.rstrip().count("\n") + 1
    return Statement(step, min(position.line - scenario.steps[step].position.line + 1, lines))


def _vacuous(scenario: Scenario, reference: Trace) -> str:
    if any(
        step.claimed is not None or step.own != Expectations() or compile_step(step.run).asserts
        for step in scenario.steps
    ):
        return ""
    if scenario.claims:
        return "it has a claim, but no expect, raises, warns, prints, assert or claimed"
    if not any(map(_computes, scenario.steps)):
        return "it shows nothing: its statements only name constants, and there is no expect"
    happened = any(moment.raised or moment.warned or moment.printed for moment in reference.moments)
    states = (without_opaque(moment.state) for moment in reference.moments if moment.state is not None)
    if happened or any(before != after for before, after in pairwise(chain(({},), states))):
        return ""
    return "it shows nothing: no state differs between two of its statements, and there is no expect"


_CALLS, _TEXT = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_]\w*\("), re.compile("""["'#]""")


def _computes(step: Step) -> bool:
    """Whether a program does anything that an engine could do differently: it calls, reads or deletes something."""
    if _CALLS.search(step.run) and not _TEXT.search(step.run):  # parsing takes longer
        return True
    kinds = ast.Call | ast.Attribute | ast.Subscript | ast.Delete | ast.Raise | ast.Import | ast.ImportFrom
    return any(isinstance(node, kinds) for node in ast.walk(ast.parse(step.run)))


def without_opaque(state: State) -> State:
    """The state without opaque values such as functions, of which only the name is observed."""
    return {name: facets for name, facets in state.items() if facets != {"value": "bound"}}


class _Unmet(NamedTuple):
    line: int  # of the step's text
    message: str
    hint: str = ""
    place: Position | None = None  # of an expectation, whose line is below the program


def _unmet(scenario: Scenario, k: int, expected: Expectations, trace: Trace) -> list[_Unmet]:
    """The expectations and assertions of a step that do not hold in a trace."""
    moments = [moment for moment in trace.moments if moment.statement.step == k]
    ran = [moment for moment in moments if moment.statement.kind == "run"]
    error = _unmet_error(scenario.steps[k], expected, ran)
    unmet = [] if error is None else [error]
    for moment in moments:
        for text in moment.failed:
            unmet.append(_Unmet(moment.statement.line, f"on torch this does not hold: assert {text}"))
    last = moments[-1].statement.line if moments else 1
    if not isinstance(expected.warns, Unset):
        texts = [warning.message for moment in ran for warning in moment.warned]
        for text in expected.warns:
            if not any(warned.startswith(text) for warned in texts):
                shown = ", ".join(map(repr, texts)) or "nothing"
                unmet.append(
                    _Unmet(last, f"expected a warning that begins with {text!r}; the warnings are {shown}")
                )
    if not isinstance(expected.prints, Unset) and (
        wrong := misprint(expected.prints, printed_by(ran), bounds(None, scenario.tolerance))
    ):
        unmet.append(_Unmet(last, wrong, place=expected.prints_at))
    if error is not None and any(moment.raised for moment in ran):
        return unmet  # the expectations were not evaluated
    values = {expression: text for moment in moments for expression, text in moment.values}
    state = (moments[-1].state if moments else None) or {}
    places = expected.places or (None,) * len(expected.expect)
    for (expression, wanted), place in zip(expected.expect, places, strict=True):
        if NOT_READ in values.get(expression, ""):
            continue
        dtype = resolved(state, expression).get("dtype") if expression in state else None
        message = _unmet_value(scenario, expression, wanted, values.get(expression), dtype)
        if message:
            unmet.append(_Unmet(last, message, _no_text(wanted, values.get(expression), dtype), place))
    return unmet


def _ending(moment: Moment) -> _Unmet | None:
    """What is wrong with a scenario whose run on torch had to be ended, or ended torch's process."""
    hints = {
        "TimeLimit": "make it smaller, or allow more time: --scenario-timeout SECONDS",
        "Refused": "specs/README.md says what a program may not do",
        DIED: "leave it out: what ends the process can't be compared",
    }
    raised = moment.raised
    if raised is None or raised.type not in hints:
        return None
    message = f"on torch {raised.message}" if raised.type == DIED else raised.message
    return _Unmet(moment.statement.line, message, hints[raised.type])


def _unmet_error(step: Step, expected: Expectations, ran: list[Moment]) -> _Unmet | None:
    """The mismatch between the expected error and the one that the step raised, if any."""
    moment = next((moment for moment in ran if moment.raised is not None), None)
    type_ = None if isinstance(expected.raises, Unset) else expected.raises
    message = None if isinstance(expected.message, Unset) or expected.raises is None else expected.message
    wanted = type_ is not None or message is not None
    if moment is None or moment.raised is None:
        shown = f"{type_ or 'an error'}{'' if message is None else f': {message}'}"
        return (
            _Unmet(ran[-1].statement.line if ran else 1, f"raises nothing, expected {shown}")
            if wanted
            else None
        )
    raised, place = moment.raised, moment.statement
    program = compile_step(step.run)
    early = (place.line, place.column) < program.places[program.last].start
    if not wanted:
        declare = f"declare it under this step: `raises: {raised.type}`"
        hint = f"end the step here, and {declare}" if early else declare
        return _Unmet(place.line, f"raises {raised}", f"if that is intended, {hint}")
    if early:
        hint = "move what comes after it to the next step"
        return _Unmet(place.line, f"raises {raised}, before the step's last statement", hint)
    if type_ not in (None, raised.type):
        return _Unmet(place.line, f"raises {raised}; expected {type_}")
    if message is not None and not raised.message.startswith(message):
        return _Unmet(place.line, f"raises {raised}; expected a message that begins with {message!r}")
    return None


def _no_text(wanted: Plain, text: str | None, dtype: object) -> str:
    """A hint if the author wrote a text for a value of another type."""
    if (
        not isinstance(wanted, str)
        or text is None
        or isinstance(value := parsed(shortened(text, dtype)), str)
    ):
        return ""
    return f"`{wanted}` is a text; torch's value is written `{as_yaml(value)}`"


def _unmet_value(
    scenario: Scenario, expression: str, wanted: Plain, text: str | None, dtype: object
) -> str | None:
    if text is None:
        return f"{expression} was not evaluated"
    if is_error(text):
        return f"{expression} {text}"
    if holds(wanted, parsed(text), bounds(dtype, scenario.tolerance)):
        return None
    return f"{expression} is {shortened(text, dtype)}, expected {wanted!r}"
