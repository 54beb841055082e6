"""The engine under test, with its divergence file, which declares its known differences from torch."""

from __future__ import annotations

import atexit
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.adapters import divergences
from conformance.adapters.divergences import Divergence, unmatched
from conformance.adapters.registry import TRUSTED, EngineNotFoundError, find, is_only_here
from conformance.check.library import Library
from conformance.check.locate import specs
from conformance.check.releases import RECORDING
from conformance.language.load_result import Problem
from conformance.language.scenario import Position
from conformance.language.suggest import did_you_mean
from conformance.report.text import short_path
from conformance.runner.compare import GROUP_OF
from conformance.runner.engine import Engine

_ADAPTERS = Path(divergences.__file__).parent


@dataclass(frozen=True, slots=True)
class EngineUnderTest:
    """An engine, its declared divergences, and the problems of their file."""

    engine: Engine
    file: Path
    entries: tuple[Divergence, ...] = ()
    problems: tuple[Problem, ...] = ()

    def entries_for(self, case: str) -> tuple[Divergence, ...]:
        """The divergences declared for a case of a scenario."""
        return tuple(entry for entry in self.entries if entry.of(case))


def engine(name: str, python: str | None = None, *, here: bool = False, wait: bool = True) -> Engine:
    """The engine of that name, in the interpreter ``python``; by default in a new process, or ``here`` in this one.

    Without ``wait`` it may still be starting.

    Raises:
        EngineNotFoundError: there is none, or it does not start.
    """
    if python is None and (here or is_only_here(name)):
        return find(name)
    from conformance.adapters.remote import RemoteEngine

    return RemoteEngine(name, python, wait=wait)


@cache
def _of_commands(name: str) -> Engine:
    """An engine of the suite in a process that all commands of this process share, and that is starting."""
    started = engine(name, wait=False)
    atexit.register(getattr(started, "close", bool))
    return started


def engine_of_command(name: str, python: str | None = None) -> Engine:
    """The engine of that name in a process that a command can end: a program that hangs or crashes costs a message.

    Raises:
        EngineNotFoundError: there is none, or it does not start.
    """
    return _of_commands(name) if python is None and name in TRUSTED else engine(name, python)


def reference(recording: str | None = None, *, here: bool = False) -> Engine:
    """Torch, in a process of its own or ``here``, or a recording: the suite's own where torch is not installed.

    Raises:
        EngineNotFoundError: there is neither.
    """
    recording = recording or recording_instead()
    if recording is None:
        return find("torch") if here else _of_commands("torch")
    from conformance.adapters.recording import NotARecordingError, read

    try:
        return read(Path(recording))
    except NotARecordingError as error:
        raise EngineNotFoundError(str(error)) from None


def recording_instead() -> str | None:
    """The suite's own recording, if torch is not installed."""
    return None if importlib.util.find_spec("torch") is not None else short_path(RECORDING)


def with_divergences(found: Engine) -> EngineUnderTest:
    """An engine with its divergence file, which is named by its attribute ``divergences`` or by the engine's name.

    Raises:
        EngineNotFoundError: the engine does not start.
    """
    named = getattr(found, "divergences", None)
    path = Path(named) if named else _ADAPTERS / f"{found.name}.yaml"
    if not named and not path.is_file():
        return EngineUnderTest(found, Path(path.name))  # where a new one would be written
    from conformance.language.divergences import load_divergences

    declared = load_divergences(Path(short_path(path)))
    entries = tuple(Divergence(**entry) for entry in declared.entries)
    return EngineUnderTest(found, path, entries, declared.problems)


def misdeclared(under_test: EngineUnderTest, library: Library) -> Iterator[Problem]:
    """The problems of an engine's divergence file: invalid entries, unknown facets, unknown scenarios.

    An entry that names a scenario in a file of the specs that this run has not loaded is not judged: loading all of
    them would take longer than the run.
    """
    yield from under_test.problems
    yield from misplaced(under_test.entries, library)


def misplaced(entries: Sequence[Divergence], library: Library) -> Iterator[Problem]:
    """The entries of a file that name unknown scenarios or facets."""
    cases = library.cases()
    unknown = unmatched(entries, cases)
    elsewhere = library.ids_elsewhere(specs()) if unknown else frozenset()
    for entry in unknown:
        if entry.may_be_of(elsewhere):
            continue
        message = f"there is no scenario {entry.scenario}"
        yield Problem(_place(entry), message, did_you_mean(entry.scenario, [*cases, *elsewhere]))
    for entry in entries:
        for facet in entry.facets:
            if facet not in GROUP_OF and not facet.startswith("assert "):
                hint = did_you_mean(facet, GROUP_OF) or f"the facets are {', '.join(GROUP_OF)}"
                yield Problem(_place(entry), f"there is no facet {facet}", hint)


def _place(entry: Divergence) -> Position:
    file, line, column = entry.position.rsplit(":", 2)
    return Position(file, int(line), int(column))
