"""The command that measures which faults the specs catch."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from conformance.check import locate
from conformance.commands.command import Add, Misuse, at_least_one, progress_line, scenarios_in, takes_format
from conformance.commands.sampled_mutants import add_options, sampled

if TYPE_CHECKING:
    from conformance.language.scenario import Scenario
    from conformance.mutation.campaign import Check
    from conformance.mutation.mutant import Mutant
    from conformance.runner.trace import Trace


def add_commands(add: Add) -> None:
    """The commands of this module."""
    mutating = add(
        "mutants", mutants, "plant small faults in the in-house engine and report which ones the specs catch"
    )
    mutating.add_argument("--area", help="only the faults of this area")
    mutating.add_argument("--name", action="append", help="only this fault; repeatable")
    takes_format(mutating, "text", "json")
    mutating.add_argument(
        "--whole",
        action="store_true",
        help="run every scenario against every fault, not only up to the first that catches it",
    )
    mutating.add_argument(
        "--processes",
        type=at_least_one,
        default=os.cpu_count() or 1,
        metavar="P",
        help="how many processes (default: one per processor)",
    )
    add_options(mutating)


def mutants(known: argparse.Namespace, _: list[str]) -> int:
    """Exit status 0 if all faults are killed, 1 if one survives."""
    if known.sample is not None:
        return sampled(known)
    from conformance.adapters.registry import find
    from conformance.mutation.campaign import MutantVerdict, campaign, survey
    from conformance.mutation.matrix import as_json, footer, matrix
    from conformance.mutation.mutant import misfits

    chosen = _chosen(known.area, known.name)
    find("inhouse")  # here, before the processes fork
    wrong = misfits(chosen)
    if wrong and len(wrong) == len(chosen):
        raise Misuse("\n".join(wrong.values()))
    scenarios = [each for each in scenarios_in([locate.specs()]) if "second_device" not in each.needs]
    progress_line(f"{len(scenarios)} scenarios on torch")
    checks = checks_of(scenarios, known.processes)
    progress_line(f"{len(checks)} scenarios on the unchanged engine")
    fitting = [each for each in chosen if each.id not in wrong]
    visits = survey(checks, fitting, known.processes)
    unusable = [
        f"{check.id}: {visit.difference}"
        for check, visit in zip(checks, visits, strict=True)
        if visit.difference
    ]
    verdicts = [MutantVerdict(each, (), misfit=wrong[each.id]) for each in chosen if each.id in wrong]
    for verdict in campaign(fitting, checks, visits, whole=known.whole, processes=known.processes):
        verdicts.append(verdict)
        survivors = sum(not each.kills for each in verdicts)
        text = f"{len(verdicts)} of {len(chosen)} faults, {survivors} not killed; {verdict.mutant.id}"
        progress_line(text, often=bool(verdict.kills) and len(verdicts) % 10 > 0)
    progress_line("")
    verdicts.sort(key=lambda verdict: chosen.index(verdict.mutant))
    ran = [check.id for check in checks] if known.whole else []
    if known.format == "json":
        print(json.dumps(as_json(verdicts, unusable, ran), indent=2, ensure_ascii=False))
        print(footer(verdicts), file=sys.stderr)
    else:
        print("\n".join(matrix(verdicts, unusable, ran)))
    return 0 if all(verdict.kills for verdict in verdicts) else 1


def _chosen(area: str | None, names: Sequence[str] | None) -> list[Mutant]:
    from conformance.mutation.faults import MUTANTS

    chosen = [
        each
        for each in MUTANTS
        if area in (None, each.area) and (names is None or {each.name, each.id} & set(names))
    ]
    if not chosen:
        areas = ", ".join(dict.fromkeys(each.area for each in MUTANTS))
        raise Misuse(f"there is no such fault; the areas are {areas}")
    return chosen


def checks_of(scenarios: Sequence[Scenario], processes: int) -> list[Check]:
    """Each scenario as a check of the in-house engine; torch runs it once, in another process."""
    from conformance.mutation.campaign import Check
    from conformance.runner.processes import ProcessDied, forked

    chunks = [scenarios[number :: processes or 1] for number in range(processes or 1)]
    traces: dict[str, Trace] = {}
    for number, found in forked([partial(reference_traces, chunk) for chunk in chunks], processes):
        if isinstance(found, ProcessDied):
            raise found
        traces |= {scenario.id: trace for scenario, trace in zip(chunks[number], found, strict=True)}
    return [Check(each.id, partial(difference, each, traces[each.id])) for each in scenarios]


def reference_traces(scenarios: Sequence[Scenario]) -> list[Trace]:
    """The traces of torch, run in this process."""
    from conformance.adapters.registry import find
    from conformance.runner.execute import run

    reference = find("torch")
    return [run(scenario, reference) for scenario in scenarios]


def difference(scenario: Scenario, reference: Trace) -> str:
    """The first difference between the in-house engine and torch."""
    from conformance.adapters.registry import find
    from conformance.mutation.reach import SECONDS
    from conformance.runner.compare import differences
    from conformance.runner.execute import run

    found = differences(scenario, reference, run(scenario, find("inhouse"), seconds=SECONDS))
    return str(found[0]) if found else ""
