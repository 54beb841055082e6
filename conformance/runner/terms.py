"""What is compared if the engine is torch itself elsewhere: see Note [Elsewhere]."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from conformance.language.scenario import Scenario, Tolerance
from conformance.runner.engine import Terms
from conformance.runner.program import compile_step
from conformance.runner.regions import bound, used
from conformance.runner.trace import Moment, Trace, statement_at
from conformance.runner.uses import SAID, uses_of


def left_out(scenario: Scenario, terms: Terms) -> str:
    """Why a scenario says nothing about the engine, so that it is not run; empty if it is."""
    uses = uses_of(scenario) if terms.left_out else frozenset()
    return next((said for use, said in SAID.items() if use in uses and use in terms.left_out), "")


def on_terms(
    terms: Terms, scenario: Scenario, reference: Trace, trace: Trace
) -> tuple[Scenario, Trace, Trace]:
    """The scenario with the engine's tolerances, and both traces without what cannot be compared."""
    if terms.tolerances and scenario.tolerance is None:
        scenario = replace(scenario, tolerance=Tolerance(0, 0, "the engine's", terms.tolerances))
    if terms.compiled:
        steps = {each.statement.step for one in (reference, trace) for each in one.moments if each.raised}
        reference, trace = (_by_step(scenario, one, steps) for one in (reference, trace))
    return scenario, reference, trace


def _by_step(scenario: Scenario, trace: Trace, raising: set[int]) -> Trace:
    """One moment for each step, without warnings; what a step that raises binds is not compared from there on.

    That holds for both traces if one of them raises.
    """
    moments: list[Moment] = []
    lost: set[str] = set()
    for step in dict.fromkeys(each.statement.step for each in trace.moments):
        text = scenario.steps[step].run
        statements = ast.parse(text).body
        if not lost.isdisjoint(used(statements) - {*bound(statements)}):
            break
        program = compile_step(text)
        place = statement_at(step, *program.places[program.last].start)
        every = [each for each in trace.moments if each.statement.step == step]
        own = [each for each in every if each.statement.kind == "run"]
        raised = next((each.raised for each in own if each.raised), None)
        lost = lost | {*bound(statements)} if step in raising else lost - {*bound(statements)}
        if own:
            state = next((each.state for each in reversed(own) if each.state is not None), None)
            if state is not None:
                state = {name: facets for name, facets in state.items() if _root(name) not in lost}
            printed = "".join(each.printed for each in own)
            failed = tuple(text for each in own for text in each.failed)
            moments.append(Moment(place, state, raised, (), printed, failed=failed))
        if step not in raising:
            moments += (replace(each, warned=()) for each in every if each.statement.kind != "run")
    return replace(trace, moments=tuple(moments))


def _root(name: str) -> str:
    return re.split(r"[.\[]", name, maxsplit=1)[0]
