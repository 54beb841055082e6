"""What an engine is known to do otherwise than torch: its divergence file, found and read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from conformance.adapters import divergences
from conformance.adapters.divergences import Divergence, unmatched
from conformance.library import Library, shown
from conformance.locate import specs
from conformance.runner.engine import Engine
from conformance.spec.divergences import load_divergences
from conformance.spec.document import Problem
from conformance.spec.scenario import Position
from conformance.spec.suggest import did_you_mean

_ADAPTERS = Path(divergences.__file__).parent


def known(engine: Engine) -> tuple[tuple[Divergence, ...], tuple[Problem, ...]]:
    """The entries for an engine, and what is wrong with the file they stand in.

    The engine's attribute ``divergences`` names it, else it is the one of its name among the adapters.
    """
    named = getattr(engine, "divergences", None)
    path = Path(named) if named else _ADAPTERS / f"{engine.name}.yaml"
    return _read(path) if named or path.is_file() else ((), ())


@cache
def _read(path: Path) -> tuple[tuple[Divergence, ...], tuple[Problem, ...]]:
    declared = load_divergences(Path(shown(path)))
    return tuple(Divergence(**entry) for entry in declared.entries), declared.problems


def misdeclared(engine: Engine, library: Library) -> Iterator[Problem]:
    """What is wrong with an engine's file: what cannot be read, and entries for scenarios that there are not.

    An entry may be for a scenario in a file that was not met in this run: before it is found wrong, all of
    the suite's own specs are loaded.
    """
    entries, problems = known(engine)
    yield from problems
    if unmatched(entries, library.cases()):
        library.complete(specs())
    for entry in unmatched(entries, library.cases()):
        file, line, column = entry.position.rsplit(":", 2)
        hint = did_you_mean(entry.scenario, library.cases())
        yield Problem(Position(file, int(line), int(column)), f"there is no scenario {entry.scenario}", hint)
