"""Run every fault against the checks, the most likely ones first."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import CodeType, FrameType
from typing import Any

from conformance.mutation.mutant import Mutant, applied, located, nested
from conformance.runner.processes import ProcessDied, forked

_Line = tuple[str, int]  # a file and a line in it

WRITERS = "_aten.codegen."
"""The modules that generate the functions of an operation on its first call, which only one check runs."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check that may catch a fault: ``run`` returns the first difference, or "" if there is none."""

    id: str
    run: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Kill:
    """A check caught the fault; ``check`` is "" if the process died."""

    check: str
    difference: str


@dataclass(frozen=True, slots=True)
class MutantVerdict:
    """The result of a fault. ``ran``: the number of checks run; ``reached``: those that run the fragment."""

    mutant: Mutant
    kills: tuple[Kill, ...]
    ran: int = 0
    reached: int = 0
    misfit: str = ""  # why it could not be applied


@dataclass(frozen=True, slots=True)
class Visit:
    """A check on the unchanged engine: its difference, if any, and the lines and functions that it runs."""

    difference: str
    lines: frozenset[_Line]
    functions: frozenset[_Line]


def survey(checks: Sequence[Check], mutants: Sequence[Mutant], processes: int) -> list[Visit]:
    """Each check on the engine without a fault."""
    watched = _watched(mutants)
    count = max(1, processes) * 4
    chunks = [checks[number::count] for number in range(count)]
    visits: dict[str, Visit] = {}
    for number, found in forked([partial(_visit_all, chunk, watched) for chunk in chunks], processes):
        if isinstance(found, ProcessDied):
            raise found
        visits |= {check.id: visit for check, visit in zip(chunks[number], found, strict=True)}
    return [visits[check.id] for check in checks]


_Watched = dict[int, tuple[CodeType, set[_Line]]]


def _watched(mutants: Sequence[Mutant]) -> _Watched:
    """The code objects that faults change, by identity, and the lines of the fragments in each."""
    watched: _Watched = {}
    for mutant in mutants:
        edit = located(mutant)
        if edit is None:
            continue
        for code in nested(edit.function.__code__):
            _, lines = watched.setdefault(id(code), (code, set()))
            lines.update((code.co_filename, line) for line in edit.lines)
    return watched


def _visit_all(checks: Sequence[Check], watched: _Watched) -> list[Visit]:
    return [_visit(check, watched) for check in checks]


def _visit(check: Check, watched: _Watched) -> Visit:
    lines: set[_Line] = set()
    functions: set[_Line] = set()

    def inside(frame: FrameType, event: str, _: Any) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return inside

    def on_call(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if id(code) not in watched:
            return None
        functions.add((code.co_filename, code.co_firstlineno))
        return None if watched[id(code)][1] <= lines else inside

    sys.settrace(on_call)
    try:
        difference = check.run()
    finally:
        sys.settrace(None)
    return Visit(difference, frozenset(lines), frozenset(functions))


def campaign(
    mutants: Sequence[Mutant],
    checks: Sequence[Check],
    visits: Sequence[Visit],
    *,
    whole: bool = False,
    processes: int = 1,
) -> Iterator[MutantVerdict]:
    """Run each fault in its own process; yields verdicts as they finish. Checks that fail without a fault are skipped.

    Checks that run the fragment come first, then those that call its function. The others cannot see the fault, unless
    it is in one of WRITERS.
    """
    usable = [(check, visit) for check, visit in zip(checks, visits, strict=True) if not visit.difference]
    tasks, reached = [], []
    for mutant in mutants:
        ranks: list[list[Check]] = [[], [], []]
        place = _place(mutant)
        for check, visit in usable:
            ranks[_rank(place, visit)].append(check)
        reached.append(len(ranks[0]))
        able = ranks if mutant.target.startswith(WRITERS) else ranks[:2]
        tasks.append(partial(_judge, mutant, [check for rank in able for check in rank], whole))
    for number, found in forked(tasks, processes):
        kills, ran = ((Kill("", str(found)),), 0) if isinstance(found, ProcessDied) else found
        yield MutantVerdict(mutants[number], kills, ran, reached[number])


_Place = tuple[str, frozenset[int], int]


def _place(mutant: Mutant) -> _Place | None:
    edit = located(mutant)
    if edit is None:
        return None
    code = edit.function.__code__
    return code.co_filename, edit.lines, code.co_firstlineno


def _rank(place: _Place | None, visit: Visit) -> int:
    if place is None:  # a text or another plain value, which may be read anywhere
        return 0
    file, lines, function = place
    if any((file, line) in visit.lines for line in lines):
        return 0
    return 1 if (file, function) in visit.functions else 2


def _judge(mutant: Mutant, checks: Sequence[Check], whole: bool) -> tuple[tuple[Kill, ...], int]:
    kills: list[Kill] = []
    ran = 0
    with applied(mutant):
        for check in checks:
            ran += 1
            difference = check.run()
            if difference:
                kills.append(Kill(check.id, difference))
                if not whole:
                    break
    return tuple(kills), ran
