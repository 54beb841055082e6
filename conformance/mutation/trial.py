"""Run the cases that reach a change against the engine that has it."""

from __future__ import annotations

import gc
import hashlib
import importlib
import math
import re
import resource
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType

from conformance.adapters.registry import find
from conformance.mutation.changes import SourceChange
from conformance.mutation.planted import module_of, plant
from conformance.mutation.reach import (
    Reach,
    RecordedCase,
    candidates,
    import_all,
    lines_of_import,
    prepared,
    program_of,
    runs_in_import,
)
from conformance.mutation.replaced import Holders, holders_below, replace, replacements
from conformance.mutation.sources import Sources
from conformance.runner.engine import Engine
from conformance.runner.processes import ProcessDied, apart, forked

CPU_SECONDS = 60
"""Processor time of an import, and of each case, after which the process of a change ends: it may not end by itself."""

_IMPORT = re.compile(r"^ *(?:import|from) ((?:numpy|scipy)[\w.]*)", re.MULTILINE)

AT_ONCE = 25
"""How many changes share an import of the engine."""


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
    visits: Mapping[str, Reach],
    engine: str,
    of: Sources,
    processes: int,
) -> Iterator[tuple[int, Trial]]:
    """Each change in a process of its own; yields its number and what became of it, as they finish."""
    known = {case.scenario.id: case for case in cases}
    visited = {name: visits[name] for name in sorted(known, key=_hash)}  # unlike ones early
    programs = {name: program_of(case) for name, case in known.items()}
    files = sorted({change.file for change in changes})
    imported, more = lines_of_import(engine, cases[0], of, changes)
    quick: list[tuple[int, Task]] = []
    slow: list[tuple[int, Task]] = []
    for number, change in enumerate(changes):
        names, reached = candidates(change, visited, imported, programs)
        task = Task(Trial(change, reached=reached), [known[name] for name in names], visited, of)
        (slow if runs_in_import(change, imported, more) else quick).append((number, task))
    count = min(len(quick), max(processes, len(quick) // AT_ONCE))
    chunks = [quick[number::count] for number in range(count)]
    tasks = [partial(_in_functions, [task for _, task in chunk], engine, cases[0], files) for chunk in chunks]
    for number, found in forked(tasks, processes):
        if isinstance(found, ProcessDied):
            raise found
        for (own, task), trial in zip(chunks[number], found, strict=True):
            if trial is None:
                slow.append((own, task))
            else:
                yield own, trial
    for number, end in forked([partial(_in_import, task, engine) for _, task in slow], processes):
        own, task = slow[number]
        yield own, (_dead(task, end) if isinstance(end, ProcessDied) else end)


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


@dataclass(frozen=True, slots=True)
class Task:
    """A change that has not been tried, with the cases that can see it, and what all cases do without it."""

    trial: Trial
    cases: Sequence[RecordedCase]
    visits: Mapping[str, Reach]
    of: Sources


def _in_functions(
    tasks: Sequence[Task], engine: str, case: RecordedCase, files: Sequence[str]
) -> list[Trial | None]:
    """What becomes of changes of functions; None for one that needs another import.

    See Note [A fault in functions needs no import].
    """
    of = tasks[0].of
    planted = prepared(engine, case.scenario)
    import_all(of, files)
    holders = holders_below(of.root)
    gc.freeze()  # so that the forks share its memory
    found: list[Trial | None] = []
    for task in tasks:
        change, before = task.trial.change, of.read(task.trial.change.file)
        codes = replacements(before, change.applied_to(before), of.root / change.file)
        if codes is None:
            found.append(None)
            continue
        end = apart(partial(_replaced, task, planted, codes, holders))
        found.append(_dead(task, end) if isinstance(end, ProcessDied) else end)
    return found


def _replaced(
    task: Task, engine: Engine, codes: Mapping[CodeType, CodeType], holders: Holders
) -> Trial | None:
    return _tried(task, engine) if replace(codes, holders) else None


def _in_import(task: Task, engine: str) -> Trial:
    """What becomes of a change with which the engine is imported."""
    change, of = task.trial.change, task.of
    _limit(CPU_SECONDS)
    plant(of.root / change.file, change.applied_to(of.read(change.file)))
    try:
        planted = find(engine)
        importlib.import_module(module_of(of.root / change.file))
    except BaseException as error:
        return Trial(change, broken=f"{type(error).__name__}: {error}", reached=task.trial.reached)
    return _tried(task, planted)


def _tried(task: Task, engine: Engine) -> Trial:
    """What becomes of a change that the engine has."""
    change, reached = task.trial.change, task.trial.reached
    for ran, case in enumerate(task.cases, start=1):
        name = case.scenario.id
        _limit(CPU_SECONDS)
        found, usual = case.differences(engine), task.visits[name].differences
        if found != usual:
            new = [each for each in found if each not in usual]
            return Trial(change, name, (new or ["no difference any more"])[0], "", ran, reached)
    return Trial(change, ran=len(task.cases), reached=reached)


def _dead(task: Task, end: ProcessDied) -> Trial:
    return Trial(task.trial.change, "the end of its process", str(end), reached=task.trial.reached)


def _limit(seconds: int) -> None:
    """End this process if it computes for more seconds than these."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    end = math.ceil(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (end if most == resource.RLIM_INFINITY else min(end, most), most))


def preload(of: Sources) -> None:
    """Import here what the engine imports of NumPy and SciPy, even inside of functions: every fork then has it."""
    packages = (
        [of.root]
        if (of.root / "__init__.py").exists()
        else [of.root / Path(each).parts[0] for each in of.files]
    )
    found = set()
    for file in {file for each in packages for file in ([each] if each.is_file() else each.rglob("*.py"))}:
        found.update(_IMPORT.findall(file.read_text(errors="replace")))
    for name in sorted(found):
        with suppress(Exception):
            importlib.import_module(name)
