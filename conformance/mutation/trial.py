"""Run the cases that reach a change against the engine that has it."""

from __future__ import annotations

import importlib
import math
import resource
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from conformance.adapters.registry import find
from conformance.mutation.changes import SourceChange
from conformance.mutation.planted import module_of, plant
from conformance.mutation.reach import Reach, RecordedCase, candidates, lines_of_import, program_of
from conformance.mutation.sources import Sources
from conformance.runner.processes import ProcessDied, forked

CPU_SECONDS = 60
"""Processor time of an import, and of each case, after which the process of a change ends: it may not end by itself."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a change. It survived if ``killer`` is empty; it broke the engine's import if ``broken`` is not.

    ``reached`` is the number of cases that run its lines, ``ran`` the number of those that were run.
    """

    change: SourceChange
    killer: str = ""
    difference: str = ""
    broken: str = ""
    ran: int = 0
    reached: int = 0
    equivalent: str = ""  # the recorded reason why nothing can see it


def trials(
    changes: Sequence[SourceChange],
    cases: Sequence[RecordedCase],
    visits: Sequence[Reach],
    engine: str,
    of: Sources,
    processes: int,
) -> Iterator[tuple[int, Trial]]:
    """Each change in a process of its own; yields its number and what became of it, as they finish."""
    known = {case.scenario.id: case for case in cases}
    visited = {case.scenario.id: visit for case, visit in zip(cases, visits, strict=True)}
    programs = {name: program_of(case) for name, case in known.items()}
    imported = lines_of_import(engine, cases[0], of)
    tasks = []
    for change in changes:
        names, reached = candidates(change, visited, imported, programs)
        runs = [known[name] for name in names]
        tasks.append(partial(_trial, Trial(change, reached=reached), runs, visited, engine, of))
    for number, found in forked(tasks, processes):
        if isinstance(found, ProcessDied):
            yield number, Trial(changes[number], killer="the end of its process", difference=str(found))
        else:
            yield number, found


def _trial(
    trial: Trial, cases: Sequence[RecordedCase], visits: Mapping[str, Reach], engine: str, of: Sources
) -> Trial:
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    _allow(CPU_SECONDS)
    change = trial.change
    plant(of.root / change.file, change.applied_to(of.read(change.file)))
    try:
        planted = find(engine)
        importlib.import_module(module_of(of.root / change.file))
    except BaseException as error:
        return Trial(change, broken=f"{type(error).__name__}: {error}", reached=trial.reached)
    for ran, case in enumerate(cases, start=1):
        name = case.scenario.id
        _allow(CPU_SECONDS)
        found = case.differences(planted)
        if found != visits[name].differences:
            new = [each for each in found if each not in visits[name].differences]
            return Trial(change, name, (new or ["no difference any more"])[0], "", ran, trial.reached)
    return Trial(change, ran=len(cases), reached=trial.reached)


def _allow(seconds: int) -> None:
    """End this process if it computes for more seconds than these."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    end = math.ceil(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (end if most == resource.RLIM_INFINITY else min(end, most), most))


def preload(engine: str) -> None:
    """Import here what the engine imports of other packages, which every fork then has."""
    before = set(sys.modules)
    for _, found in forked([partial(_imports, engine)], 1):
        if isinstance(found, ProcessDied):
            raise found
        own = {each.partition(".")[0] for each in (*before, engine)}
        for name in found:
            if name.partition(".")[0] in ("numpy", "scipy") and name not in before | own:
                with suppress(Exception):
                    importlib.import_module(name)


def _imports(engine: str) -> list[str]:
    find(engine)
    return list(sys.modules)
