"""The command line. Each command imports only what it needs: `lint` imports neither torch nor an engine."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence

from conformance.commands import engine, fuzz, mutation, releases, results, scenario, specs
from conformance.commands.command import FAILED, INTERRUPTED, MISUSED, Command, Misuse
from conformance.report.text import escape_the_unprintable


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, 1 for failures, 2 for misuse, 10 for changes of torch, 130 for ^C."""
    for stream in (sys.stdout, sys.stderr):
        escape_the_unprintable(stream)
    main_parser = parser()
    known, others = main_parser.parse_known_args(arguments)
    command: Command = known.command
    if others and command is not specs.run:
        main_parser.error(f"unrecognized arguments: {' '.join(others)}")
    if os.getcwd() not in sys.path:  # finds an engine in the current folder, as with `python -m`
        sys.path.append(os.getcwd())
    try:
        status = command(known, others)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a full disk is reported
        return status
    except KeyboardInterrupt as interrupt:
        for text in ("interrupted", *getattr(interrupt, "__notes__", ())):
            print(f"\nconformance: {text}", end="", file=sys.stderr)
        print(file=sys.stderr)
        return getattr(interrupt, "status", INTERRUPTED)
    except BrokenPipeError:  # as in `conformance claims | head`
        sys.stderr.close()
        return FAILED
    except OSError as error:
        if error.filename is None and error.errno not in _OF_OUTPUTS:
            raise
        print(f"conformance: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        return MISUSED
    except _misuses() as misuse:
        print(f"conformance: {misuse}", file=sys.stderr)
        return MISUSED


_OF_OUTPUTS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)  # writing to a file that the shell has opened


def _misuses() -> tuple[type[Exception], ...]:
    """The errors that mean misuse; imported only after an error."""
    from conformance.adapters.registry import EngineNotFoundError

    return Misuse, EngineNotFoundError


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    made = argparse.ArgumentParser(prog="conformance", description="Conformance suite for autograd engines.")
    made.set_defaults(parser=made)  # `docs` generates the list of commands from it
    commands = made.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(command=command)
        return added

    for module in (specs, scenario, engine, results, releases, mutation, fuzz):
        module.add_commands(add)
    return made
