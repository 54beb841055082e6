"""What all commands share: types, exit statuses, progress display."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.check.library import Library
    from conformance.language.scenario import Scenario, Tier
    from conformance.runner.engine import Engine

# A command gets its parsed arguments and the unknown ones, and returns the exit status.
Command = Callable[[argparse.Namespace, list[str]], int]
Add = Callable[[str, Command, str], argparse.ArgumentParser]

FAILED, MISUSED = 1, 2
CHANGED = 10  # nothing fails but what another release of torch does, which no file explains
INTERRUPTED = 130  # as in a shell: 128 plus the number of SIGINT


class Misuse(Exception):  # noqa: N818 - a message to the user
    """The command cannot run with these arguments."""


def at_least_one(text: str) -> int:
    """An argument that counts something, of which there must be one at least.

    Raises:
        ArgumentTypeError: it is not a number, or less than one.
    """
    try:
        number = int(text)
    except ValueError:  # also for one of very many digits
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{ascii(text)[1:-1][:40]} is not a whole number above 0")
    return number


def takes_paths(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--in``, whose scenarios `scenarios_from` loads."""
    parser.add_argument(
        "--in",
        dest="paths",
        nargs="+",
        type=Path,
        default=None,
        metavar="PATH",
        help="scenario files and folders (default: the specs)",
    )


def takes_engine(parser: argparse.ArgumentParser, default: str, use: str) -> None:
    """Add the option ``--engine``; ``use`` says what for."""
    parser.add_argument("--engine", default=default, help=f"{use} (default: {default})")


def takes_format(parser: argparse.ArgumentParser, *formats: str, more: str = "") -> None:
    """Add the option ``--format``; the first format is the default."""
    parser.add_argument(
        "--format", choices=formats, default=formats[0], help=f"the form of the output{more} (default: text)"
    )


def takes_engine_python(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--engine-python``."""
    parser.add_argument("--engine-python", metavar="PATH", help="the Python interpreter that has the engine")


def takes_reference(parser: argparse.ArgumentParser, use: str = "") -> None:
    """Add the option ``--reference``; ``use`` says what it is for, if not for the whole command."""
    parser.add_argument(
        "--reference", metavar="FILE", help=f"a recording to use instead of torch{f', {use}' if use else ''}"
    )


def takes_time_limit(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--scenario-timeout``."""
    parser.add_argument(
        "--scenario-timeout",
        dest="seconds",
        type=seconds,
        default=20,
        metavar="SECONDS",
        help="end a scenario that takes longer (default: 20)",
    )


def seconds(text: str) -> float:
    """A time limit; an alarm set to 0 would never ring.

    Raises:
        ArgumentTypeError: it is not a number above 0.
    """
    try:
        limit = float(text)
    except ValueError:
        limit = 0
    if not 0 < limit < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return limit


def announce(engine: Engine, scenarios: Sequence[Scenario], limit: float) -> None:
    """Let an engine in a process of its own run these scenarios while this process does something else."""
    expect = getattr(engine, "expect", None)
    if expect is not None:
        expect(scenarios, seconds=limit)


def scenarios_in(
    paths: Iterable[Path], library: Library | None = None, tier: Tier = "full"
) -> tuple[Scenario, ...]:
    """All scenarios in these files and folders; raises Misuse if one has a problem."""
    from conformance.check.library import Library

    loaded = (library or Library()).load_all(paths, tier)
    if loaded.problems:
        raise Misuse("\n".join(["the scenarios have problems:", *map(str, loaded.problems)]))
    return loaded.scenarios


def scenarios_from(paths: list[Path] | None, tier: Tier = "full") -> tuple[Scenario, ...]:
    """All scenarios up to a tier in the paths of an option ``--in``, by default the specs."""
    from conformance.check import locate

    given = paths or [locate.specs()]
    missing = [path for path in given if not path.exists()]
    if missing:
        raise Misuse(f"{missing[0]} does not exist: --in takes scenario files, or folders that contain some")
    found = scenarios_in(given, tier=tier)
    if not found:
        raise Misuse(f"there are no scenarios in {', '.join(map(str, given))}")
    return found


def with_progress(scenarios: Sequence[Scenario]) -> Iterator[Scenario]:
    """The scenarios, with a count on a terminal."""
    for number, scenario in enumerate(scenarios, start=1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(scenarios)}", end="\r", file=sys.stderr, flush=True)
        yield scenario


def progress_line(text: str, *, often: bool = False) -> None:
    """Show progress in one line on a terminal; in a log, skip lines that are marked ``often``."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    elif text and not often:
        print(text, file=sys.stderr, flush=True)


def bar(done: int, of: int, width: int = 30) -> None:
    """A progress bar on a terminal."""
    if sys.stderr.isatty():
        full = width * done // max(of, 1)
        end = "" if done < of else "\n"
        print(
            f"\r\x1b[K[{'#' * full}{' ' * (width - full)}] {done} of {of}",
            end=end,
            file=sys.stderr,
            flush=True,
        )
