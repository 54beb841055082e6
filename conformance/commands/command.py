"""What all commands share: how one is added, how it ends, what it shows while it runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.check.library import Library
    from conformance.language.scenario import Scenario

# What it was given, and what it does not know of that.
Command = Callable[[argparse.Namespace, list[str]], int]
Add = Callable[[str, Command, str], argparse.ArgumentParser]

FAILED, MISUSED = 1, 2
INTERRUPTED = 130  # as a shell has it: 128 and the number of SIGINT


class Misuse(Exception):  # noqa: N818 - an answer to the person who typed the command
    """The command cannot be done as it was given."""


def scenarios_in(paths: Iterable[Path], library: Library | None = None) -> tuple[Scenario, ...]:
    """All in these files and folders; where one has a mistake, the command cannot be done."""
    from conformance.check.library import Library

    loaded = (library or Library()).load_all(paths)
    if loaded.problems:
        raise Misuse("\n".join(["the scenarios have problems:", *map(str, loaded.problems)]))
    return loaded.scenarios


def with_progress(scenarios: Sequence[Scenario]) -> Iterator[Scenario]:
    """The scenarios, counted on a terminal: they take a while."""
    for number, scenario in enumerate(scenarios, start=1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(scenarios)}", end="\r", file=sys.stderr, flush=True)
        yield scenario


def bar(done: int, of: int, width: int = 30) -> None:
    """A bar of progress on a terminal."""
    if sys.stderr.isatty():
        full = width * done // max(of, 1)
        end = "" if done < of else "\n"
        print(
            f"\r\x1b[K[{'#' * full}{' ' * (width - full)}] {done} of {of}",
            end=end,
            file=sys.stderr,
            flush=True,
        )
