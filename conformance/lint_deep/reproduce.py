"""Whether torch reproduces a scenario: run again, in another order, unobserved, renamed, and in float64.

Note [In float64]: with float64 as default dtype, torch's results are the same within float32's tolerances. The graph is
not compared, since it may contain casts. A scenario is exempt if its program names a dtype, or if it draws random
numbers, which is detected by running it with another seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from conformance.language.load_result import Problem
from conformance.language.scenario import Position, Scenario, Step
from conformance.lint_deep.metamorphic import commuted, renamed, with_first_names
from conformance.runner.compare import differences
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.rerun import twice
from conformance.runner.shared_state import WHOLE, SharedState
from conformance.runner.trace import Moment, Trace

_NAMES_A_DTYPE = re.compile(
    r"dtype|float|double|half|type|\.to\(|seed|\b(int|long|short|byte|char|bool|complex)", re.IGNORECASE
)
_OF_A_DTYPE = {"dtype", "message", "warned", "printed"}

AGAIN = "draw random numbers only after seeding, and do not use ids, addresses or times"
LEFT_BEHIND = "it depends on global state, or another scenario leaves state behind"
KEPT_STATE = "other scenarios find it changed: leave it out"
OBSERVED = "if observing the state changes it, write `observe: end`"
NAMED = "a scenario must not depend on the names of its variables"
SWAPPED = "the two statements do not depend on each other"
ROUNDED = "its result depends on float32 rounding: use numbers with few digits"


def _unlike(position: Position, how: str, what: str, hint: str) -> Problem:
    """A problem: how the scenario was varied, and the first difference."""
    return Problem(position, f"torch does not reproduce this {how}: {what}", hint)


def disagreements(
    scenarios: Sequence[Scenario], traces: Sequence[Trace], torch: Engine, float64: Engine
) -> Iterator[Problem]:
    """The first disagreement of each scenario; ``traces`` are those of the original order."""
    pairs = list(zip(scenarios, traces, strict=True))
    steady = []
    for scenario, trace in pairs:
        found = next(_of_one(scenario, trace, torch, float64), None)
        if found is None:
            steady.append((scenario, trace))
        else:
            yield found
    for how, ordered in (
        ("after those that follow it", steady[::-1]),
        ("in a shuffled order of scenarios", random.Random(0).sample(steady, len(steady))),
    ):
        for scenario, trace in ordered:
            what = _beyond_rounding(scenario, trace, run(scenario, torch))
            if what:
                yield _unlike(scenario.position, how, what, LEFT_BEHIND)


COUNTERS = {"torch.utils.hooks.RemovableHandle"}
"""Shared state that every scenario may change: a number for the next hook, which nothing depends on."""


def leaving_state(scenarios: Sequence[Scenario], torch: Engine) -> Iterator[Problem]:
    """The scenarios after which torch's public state is not what it was: see Note [Shared state].

    They have run before, so what torch imports or makes on first use is there.
    """
    state = SharedState(torch.torch.__name__, WHOLE)
    for scenario in scenarios:
        run(scenario, torch)
        if changed := sorted({*state.changed()} - COUNTERS):
            yield Problem(scenario.position, f"it leaves changed: {', '.join(changed[:3])}", KEPT_STATE)
            state = SharedState(torch.torch.__name__, WHOLE)


def _of_one(scenario: Scenario, trace: Trace, torch: Engine, float64: Engine) -> Iterator[Problem]:
    place, moments = scenario.position, trace.moments
    again = _beyond_rounding(scenario, trace, run(scenario, torch))
    if what := again or _beyond_rounding(scenario, *twice(scenario, torch)):
        yield _unlike(place, "when it is run again", what, AGAIN)
    if scenario.observe == "each" and (
        what := _beyond_rounding(scenario, trace, run(scenario, torch, observe="end"))
    ):
        yield _unlike(place, "when not observed", what, OBSERVED)
    variant = renamed(scenario)
    if variant and (what := _beyond_rounding(scenario, trace, with_first_names(run(variant, torch)))):
        yield _unlike(place, "with other names", what, NAMED)
    for pair in commuted(scenario, trace):
        at = next((k for k, m in enumerate(moments) if pair.begins(m.statement)), len(moments))
        swapped = run(pair.scenario, torch).moments
        before, after = (replace(trace, moments=each[:at] + each[at + 1 :]) for each in (moments, swapped))
        if what := _beyond_rounding(scenario, before, after):
            yield _unlike(pair.position, "with this statement after the next", what, SWAPPED)
    if what := _in_float64(scenario, trace, torch, float64):
        yield _unlike(place, "in float64", what, ROUNDED)


def _in_float64(scenario: Scenario, trace: Trace, torch: Engine, float64: Engine) -> str:
    """See Note [In float64]."""
    variant = run(scenario, float64)
    found = [
        each
        for each in differences(scenario, trace, variant)
        if each.group != "graph" and each.facet not in _OF_A_DTYPE
    ]
    words = [
        *(step.run for step in scenario.steps),
        *(e for step in scenario.steps for e, _ in step.own.expect),
    ]
    if not found or any(map(_NAMES_A_DTYPE.search, words)) or _draws(scenario, trace, torch):
        return ""
    first = found[0]
    return _place(scenario, first.statement.step, first.statement.line) + (
        f"{first.name} {first.facet}".strip() + f" is {first.reference}, then {first.engine}"
    )


def _draws(scenario: Scenario, trace: Trace, torch: Engine) -> bool:
    """Whether the scenario draws random numbers."""
    seeding = Step("torch.manual_seed(1)", scenario.position)
    seeded = run(replace(scenario, steps=(seeding, *scenario.steps)), torch)
    return bool(_first(scenario, trace.moments, seeded.moments[1:]))


def _beyond_rounding(scenario: Scenario, trace: Trace, again: Trace) -> str:
    """The first difference beyond the tolerance: kernels may round differently for other memory alignments."""
    return _first(scenario, trace.moments, again.moments) if differences(scenario, trace, again) else ""


def _first(scenario: Scenario, reference: Sequence[Moment], rerun: Sequence[Moment]) -> str:
    """The first bitwise difference; empty if there is none."""
    for expected, moment in zip_longest(reference, rerun):
        what = _what(expected, moment)
        if what:
            place = (expected or moment).statement
            return _place(scenario, place.step, place.line) + what
    return ""


def _place(scenario: Scenario, step: int, line: int) -> str:
    return f"after line {scenario.steps[step].position.line + line - 1} "


def _what(reference: Moment | None, rerun: Moment | None) -> str:
    if reference is None or rerun is None:
        return "the program ends, then goes on" if reference is None else "the program goes on, then ends"
    pairs = [
        ("raises", str(reference.raised), str(rerun.raised)),
        ("prints", reference.printed, rerun.printed),
    ]
    pairs.append(("warns", "; ".join(map(str, reference.warned)), "; ".join(map(str, rerun.warned))))
    values, values_again = dict(reference.values), dict(rerun.values)
    pairs += [(f"{each} is", values[each], values_again.get(each, "")) for each in values]
    if reference.state is not None and rerun.state is not None:  # otherwise one of them was not observed
        for name in dict.fromkeys((*reference.state, *rerun.state)):
            facets, facets_again = reference.state.get(name, {}), rerun.state.get(name, {})
            for facet in dict.fromkeys((*facets, *facets_again)):
                pairs.append((f"{name} {facet} is", str(facets.get(facet)), str(facets_again.get(facet))))
    if reference.failed != rerun.failed:
        pairs.append(("assert fails:", "; ".join(reference.failed), "; ".join(rerun.failed)))
    return next(
        (f"it {w} {a}, then {b}" if w in _OF_IT else f"{w} {a}, then {b}" for w, a, b in pairs if a != b), ""
    )


_OF_IT = ("raises", "prints", "warns")
