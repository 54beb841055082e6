"""Which of the changed lines of an engine each scenario runs.

Note [Reach]: scenarios run one after the other in a fork of a process that has only imported the engine, and each fork
runs a few of them, which are unlike each other. What an engine does once (compile an operator, fill a cache) is seen in
the first scenario of a fork that needs it. Were each in a fork of its own, all of them would be seen to do it, but that
takes ten times as long. Only calls are noted, and lines in the functions that a change is in.
"""

from __future__ import annotations

import gc
import importlib
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

from conformance.adapters.registry import find
from conformance.language.scenario import Scenario, Step
from conformance.mutation.changes import SourceChange
from conformance.mutation.planted import module_of
from conformance.mutation.sources import Sources
from conformance.runner.compare import differences
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.processes import ProcessDied, apart, forked
from conformance.runner.trace import Trace

T = TypeVar("T")
SECONDS = 10.0  # time limit of a scenario on a faulty engine
TOGETHER = 200
"""How many scenarios run in a fork."""


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """A scenario with the trace of the reference, parsed on demand."""

    scenario: Scenario
    reference: Callable[[], Trace]

    def differences(self, engine: Engine) -> tuple[str, ...]:
        """How the engine differs from the reference, in the groups that it claims."""
        trace = run(self.scenario, engine, seconds=SECONDS)
        return tuple(map(str, differences(self.scenario, self.reference(), trace, engine.claims)))


Lines = dict[str, int]  # lines as a set of bits for each file


@dataclass(frozen=True, slots=True)
class Reach:
    """A case on the unchanged engine: its differences, and the lines that it runs.

    Of a function that no change is in, there is only the first line.
    """

    differences: tuple[str, ...]
    lines: Lines


def survey(
    cases: Sequence[RecordedCase], changes: Sequence[SourceChange], engine: str, of: Sources, processes: int
) -> dict[str, Reach]:
    """Each case on the engine without a change, by its id; without those that end their process. See Note [Reach].

    Raises:
        ProcessDied: the engine ends the process that imports it.
    """
    visits: dict[str, Reach] = {}
    chunks = [cases[number::processes] for number in range(min(processes, len(cases)))]
    watch = _Watch(str(of.root), changes)
    for _, found in forked([partial(_visit_apart, chunk, engine, watch) for chunk in chunks], processes):
        if isinstance(found, ProcessDied):
            raise found
        visits |= found
    return visits


def _visit_apart(cases: Sequence[RecordedCase], engine: str, watch: _Watch) -> dict[str, Reach]:
    found = prepared(engine, cases[0].scenario)
    gc.freeze()  # so that the forks share its memory
    visits: dict[str, Reach] = {}
    count = math.ceil(len(cases) / TOGETHER)
    for chunk in (cases[number::count] for number in range(count)):
        end = apart(partial(_visit_all, chunk, found, watch))
        if not isinstance(end, ProcessDied):
            visits |= end
            continue
        for case in chunk:  # one of them did that
            alone = apart(partial(_visit_all, [case], found, watch))
            if not isinstance(alone, ProcessDied):
                visits |= alone
    return visits


def _visit_all(cases: Sequence[RecordedCase], engine: Engine, watch: _Watch) -> dict[str, Reach]:
    return {case.scenario.id: Reach(*_traced(partial(case.differences, engine), watch)) for case in cases}


def prepared(engine: str, scenario: Scenario) -> Engine:
    """An engine that has run a program: what preparing a run imports need not be imported in each fork."""
    found = find(engine)
    run(replace(scenario, steps=(Step("seen = []", scenario.position),)), found)
    return found


def lines_of_import(
    engine: str, case: RecordedCase, of: Sources, changes: Sequence[SourceChange]
) -> tuple[Lines, Lines]:
    """The lines that run while an engine is imported, which no case is seen to run; then with the changed files."""
    ((_, found),) = forked([partial(_import, engine, case.scenario, of, changes)], 1)
    if isinstance(found, ProcessDied):
        raise found
    return found


def _import(
    engine: str, scenario: Scenario, of: Sources, changes: Sequence[SourceChange]
) -> tuple[Lines, Lines]:
    watch = _Watch(str(of.root), changes)
    files = sorted({change.file for change in changes})
    return _traced(partial(prepared, engine, scenario), watch)[1], _traced(
        partial(import_all, of, files), watch
    )[1]


def import_all(of: Sources, files: Iterable[str]) -> None:
    """Import the modules of files, but for those that cannot be imported."""
    for file in files:
        with suppress(Exception):
            importlib.import_module(module_of(of.root / file))


class _Watch:
    """Tells the code in which lines are noted: that of functions that a change is in."""

    def __init__(self, root: str, changes: Sequence[SourceChange]) -> None:
        self.root = root
        self._changed: dict[str, list[tuple[int, int]]] = {}
        for change in changes:
            file = str(Path(root, change.file))
            self._changed.setdefault(file, []).extend((change.lines, change.around))
        self.known: dict[int, tuple[CodeType, bool]] = {}  # by id, which the code keeps as long as it is here

    def learn(self, code: CodeType) -> tuple[CodeType, bool]:
        """The code, and whether its lines are noted."""
        lines = [code.co_firstlineno, *(line for *_, line in code.co_lines() if line)]
        changed = self._changed.get(code.co_filename, ())
        noted = any(first <= max(lines) and min(lines) <= last for first, last in changed)
        self.known[id(code)] = code, noted
        return code, noted


def _traced(task: Callable[[], T], watch: _Watch) -> tuple[T, Lines]:
    """The result of a task, and the lines that it runs."""
    lines: dict[str, set[int]] = {}
    called: set[int] = set()
    known = watch.known

    def inside(frame: FrameType, event: str, _: Any) -> Any:
        lines.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)
        return inside

    def on_call(frame: FrameType, event: str, _: Any) -> Any:  # runs thousands of times in a case
        code = frame.f_code
        key = id(code)
        called.add(key)
        return inside if (known.get(key) or watch.learn(code))[1] else None

    sys.settrace(on_call)
    try:
        found = task()
    finally:
        sys.settrace(None)
    for code, _ in map(known.__getitem__, called):
        lines.setdefault(code.co_filename, set()).add(code.co_firstlineno)
    bits = {
        Path(name).relative_to(watch.root).as_posix(): sum(1 << line for line in each)
        for name, each in lines.items()
        if name.startswith(watch.root)
    }
    return found, bits


def candidates(
    change: SourceChange,
    visits: Mapping[str, Reach],
    imported: Lines,
    programs: Mapping[str, str],
) -> tuple[list[str], int]:
    """The cases that can see a change, the most likely ones first, else in the order given; how many run its lines.

    After those that do come the cases that run the statement or definition that it is in. What runs while the module is
    imported may be seen by any case: first come those that mention the definition, then those that run something of the
    file, and then the others.
    """
    ranks: list[list[str]] = [[], [], [], [], []]
    exact, around = _bits(*change.lines), _bits(*change.around)
    at_import = runs_in_import(change, imported)
    words = _names_of(change) if at_import else set()
    for name, visit in visits.items():
        lines = visit.lines.get(change.file, 0)
        if lines & exact:
            rank = 0
        elif lines & around:
            rank = 1
        elif any(word in programs[name] for word in words):
            rank = 2
        else:
            rank = 3 if lines else 4
        ranks[rank].append(name)
    if not at_import:
        ranks = ranks[:2]
    return [name for each in ranks for name in each], len(ranks[0])


def runs_in_import(change: SourceChange, *imported: Lines) -> bool:
    """Whether a change is in what one of these imports ran."""
    exact = _bits(*change.lines)
    return change.runs_at_import or any(each.get(change.file, 0) & exact for each in imported)


def program_of(case: RecordedCase) -> str:
    """The id and the program of a case, in which the names of functions can be looked for."""
    return " ".join([case.scenario.id.replace("-", "_"), *(step.run for step in case.scenario.steps)])


def _names_of(change: SourceChange) -> set[str]:
    """What programs may call the definition that a change is in: `_sum_all` may be `sum`."""
    parts = [each.strip("_") for each in (*change.within.split("."), Path(change.file).stem)]
    return {name for part in parts for name in (part, part.partition("_")[0]) if len(name) > 2}


def _bits(first: int, last: int) -> int:
    return (1 << (last + 1)) - (1 << first)
