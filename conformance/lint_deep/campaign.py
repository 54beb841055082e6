"""Run all deep checks on all scenarios, in processes, since deleting a statement may crash torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from conformance.adapters.registry import find
from conformance.language.load_result import Problem
from conformance.language.scenario import Position, Scenario
from conformance.lint_deep.capabilities import unlike
from conformance.lint_deep.deletion import Deletion, Key, deletions, has_effect, never_changes
from conformance.lint_deep.reproduce import disagreements, leaving_state
from conformance.runner.execute import run
from conformance.runner.processes import ProcessDied, forked
from conformance.runner.trace import Trace
from conformance.runner.verdict import flaws_on_torch

CHUNK = 12  # scenarios with all cases per process, which are also reordered together

Cases = Sequence[Scenario]


def examine(
    scenarios: Sequence[Scenario],
    processes: int,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Problem]:
    """All problems of the scenarios, in file order; ``progress`` is called with the number of finished ones."""
    groups: dict[Position, list[Scenario]] = {}
    for scenario in scenarios:
        groups.setdefault(scenario.position, []).append(scenario)
    every = list(groups.values())
    count = -(-len(every) // CHUNK)
    chunks = [every[number::count] for number in range(count)]  # a chunk mixes many files
    find("torch")  # loads torch before the processes fork
    found: list[Problem] = []
    done = 0
    fragile: list[Cases] = []
    for number, remarks in forked([partial(_chunk, chunk) for chunk in chunks], processes):
        done += len(chunks[number])
        if isinstance(remarks, ProcessDied):
            fragile += chunks[number]
        else:
            found += remarks
        progress(done, len(every))
    for cases in fragile:
        found += _one_by_one(cases, processes)
    found += unlike(scenarios, processes)
    return sorted(found, key=lambda each: (each.position.file, each.position.line, each.position.column))


def _chunk(chunk: Sequence[Cases]) -> list[Problem]:
    found = _reproduced(chunk)
    for cases in chunk:
        found += _without_effect(cases, lambda each: run(each, find("torch")))
    return found


def _one_by_one(cases: Cases, processes: int) -> Iterator[Problem]:
    """The same for one scenario, each deletion in its own process: one that crashes has an effect."""
    ((_, remarks),) = forked([partial(_reproduced, [cases])], 1)
    if isinstance(remarks, ProcessDied):
        yield Problem(cases[0].position, f"torch's process ends in it: {remarks}")
        return
    yield from remarks

    def apart(scenario: Scenario) -> Trace | None:
        ((_, trace),) = forked([lambda: run(scenario, find("torch"))], 1)
        return None if isinstance(trace, ProcessDied) else trace

    yield from _without_effect(cases, apart)


def _reproduced(chunk: Sequence[Cases]) -> list[Problem]:
    torch, float64 = find("torch"), find("torch-float64")
    scenarios = [scenario for cases in chunk for scenario in cases]
    traces = [run(scenario, torch) for scenario in scenarios]
    found: list[Problem] = []
    for scenario, trace in zip(scenarios, traces, strict=True):
        found += flaws_on_torch(scenario, trace)
        if never_changes(scenario, trace):
            found.append(
                Problem(scenario.position, "it has no effect: no state changes, and it expects nothing")
            )
    return [*found, *leaving_state(scenarios, torch), *disagreements(scenarios, traces, torch, float64)]


def _without_effect(cases: Cases, ran: Callable[[Scenario], Trace | None]) -> list[Problem]:
    """The statements without effect in all cases: see Note [Without effect]."""
    idle: dict[Key, Deletion] | None = None
    for case in cases:
        asked = {each.key: each for each in deletions(case)}
        if idle is not None:
            asked = {key: asked.get(key, each) for key, each in idle.items()}
        reference = run(case, find("torch"))
        idle = {key: each for key, each in asked.items() if _is_idle(each, reference, ran)}
        if not idle:
            break
    hint = "leave it out, or end a step with it and say what holds after it"
    return [
        Problem(each.position, f"nothing changes without `{each.text}`", hint)
        for each in (idle or {}).values()
    ]


def _is_idle(deletion: Deletion, reference: Trace, ran: Callable[[Scenario], Trace | None]) -> bool:
    shortened = ran(deletion.scenario)
    if shortened is None or has_effect(reference, shortened):
        return False
    if deletion.failing is None:
        return True
    failing = ran(deletion.failing)
    return failing is None or has_effect(reference, failing)
