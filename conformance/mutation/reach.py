"""Which lines of an engine each scenario runs.

Note [Reach]: each scenario runs in a fork of a process that has only imported the engine, so that what an engine does
once (compile an operator, fill a cache) counts for every scenario that needs it. The map is pickled where the bytecode
is. It stays valid for a scenario while its program, the reference's trace and the files that it runs stay the same.
"""

from __future__ import annotations

import hashlib
import importlib
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from conformance.adapters.registry import find
from conformance.language.cache import cache_path, write
from conformance.language.scenario import Scenario, Step
from conformance.mutation.changes import SourceChange
from conformance.mutation.planted import module_of
from conformance.mutation.sources import Sources
from conformance.runner.compare import differences
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.processes import ProcessDied, apart, forked
from conformance.runner.serialize import fingerprint
from conformance.runner.trace import Trace

T = TypeVar("T")
SECONDS = 10.0  # time limit of a scenario on a faulty engine
SAVED_EVERY = 20.0  # seconds; a run may be interrupted


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
    """A case on the unchanged engine: its differences, and the lines that it runs."""

    differences: tuple[str, ...]
    lines: Lines


Tell = Callable[[int], None]


def survey(
    cases: Sequence[RecordedCase], engine: str, of: Sources, processes: int, tell: Tell
) -> list[Reach]:
    """Each case on the engine without a fault, from the cache where nothing has changed. See Note [Reach].

    ``tell`` receives the number of cases that have to be run.
    """
    place = cache_path(Path(__file__).with_name(f"reach_{''.join(filter(str.isalnum, engine))}"), ".reach")
    key = _key(of.root)
    known = _cached(place, key)
    names = [_fingerprint(case) for case in cases]
    hashes = _Hashes(of.root)
    missing = [
        (name, case)
        for name, case in zip(names, cases, strict=True)
        if name not in known or any(hashes[file] != digest for file, digest in known[name][1].items())
    ]
    if missing:
        tell(len(missing))
        count = min(len(missing), max(processes, len(missing) // 200))
        chunks = [missing[number::count] for number in range(count)]
        tasks = [partial(_visit_all, [case for _, case in chunk], engine, of) for chunk in chunks]
        due = time.monotonic() + SAVED_EVERY
        for done, (number, found) in enumerate(forked(tasks, processes), start=1):
            if isinstance(found, ProcessDied):
                raise found
            for (name, _), visit in zip(chunks[number], found, strict=True):
                known[name] = visit, {file: hashes[file] for file in visit.lines}
            if not sys.dont_write_bytecode and (done == count or time.monotonic() > due):
                with suppress(OSError):  # the folder is read-only
                    write(place, key + pickle.dumps(known, pickle.HIGHEST_PROTOCOL))
                due = time.monotonic() + SAVED_EVERY
    return [known[name][0] for name in names]


_Known = dict[str, tuple[Reach, dict[str, str]]]  # visits with the hashes of the files that they run


class _Hashes(dict[str, str]):
    """The hashes of files below a folder, each computed once."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __missing__(self, file: str) -> str:
        path = self._root / file
        self[file] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        return self[file]


def _cached(place: Path, key: bytes) -> _Known:
    with suppress(Exception):  # absent or damaged: pickle may raise anything
        content = place.read_bytes()
        if content.startswith(key):
            found: _Known = pickle.loads(content[len(key) :])
            return found
    return {}


def _key(root: Path) -> bytes:
    """A hash of the interpreter, of the engine's place, and of this file."""
    return hashlib.sha256(f"{sys.version} {root}".encode() + Path(__file__).read_bytes()).digest()


def _fingerprint(case: RecordedCase) -> str:
    return hashlib.sha256(
        f"{case.scenario.id} {fingerprint(case.scenario)} {case.reference()!r}".encode()
    ).hexdigest()


def _visit_all(cases: Sequence[RecordedCase], engine: str, of: Sources) -> list[Reach]:
    found = prepared(engine, cases[0].scenario)
    visits = []
    for case in cases:
        visit = apart(partial(_visit, case, found, str(of.root)))
        if isinstance(visit, ProcessDied):
            raise visit
        visits.append(visit)
    return visits


def prepared(engine: str, scenario: Scenario) -> Engine:
    """An engine that has run a program: what preparing a run imports need not be imported in each fork."""
    found = find(engine)
    run(replace(scenario, steps=(Step("seen = []", scenario.position),)), found)
    return found


def _visit(case: RecordedCase, engine: Engine, root: str) -> Reach:
    found, lines = _traced(partial(case.differences, engine), root)
    return Reach(found, lines)


def lines_of_import(
    engine: str, case: RecordedCase, of: Sources, files: Sequence[str]
) -> tuple[Lines, Lines]:
    """The lines that run while an engine is imported, which no case is seen to run; and while these files are, then."""
    ((_, found),) = forked([partial(_import, engine, case.scenario, of, files)], 1)
    if isinstance(found, ProcessDied):
        raise found
    return found


def _import(engine: str, scenario: Scenario, of: Sources, files: Sequence[str]) -> tuple[Lines, Lines]:
    root = str(of.root)
    return _traced(partial(prepared, engine, scenario), root)[1], _traced(
        partial(import_all, of, files), root
    )[1]


def import_all(of: Sources, files: Iterable[str]) -> None:
    """Import the modules of files, but for those that cannot be imported."""
    for file in files:
        with suppress(Exception):
            importlib.import_module(module_of(of.root / file))


def _traced(task: Callable[[], T], root: str) -> tuple[T, Lines]:
    """The result of a task, and the lines below a folder that it runs."""
    lines: dict[str, set[int]] = {}

    def on_call(frame: FrameType, event: str, _: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(root):
            return None
        own = lines.setdefault(name, set())
        own.add(frame.f_lineno)

        def inside(frame: FrameType, event: str, _: Any) -> Any:
            own.add(frame.f_lineno)
            return inside

        return inside

    sys.settrace(on_call)
    try:
        found = task()
    finally:
        sys.settrace(None)
    bits = {
        Path(name).relative_to(root).as_posix(): sum(1 << line for line in each)
        for name, each in lines.items()
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
