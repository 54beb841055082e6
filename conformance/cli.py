"""The command line. Each command imports only what it needs: `lint` imports neither torch nor an engine."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

from conformance.commands import engine, fuzz, mutation, releases, results, scenario, specs
from conformance.commands.command import FAILED, INTERRUPTED, MISUSED, Command, Misuse
from conformance.commands.examples import EXAMPLES, JOBS, OF_RUN, RENAMED, by_job
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
    except _misuses() as misuse:
        text = str(misuse)
        for each in sys.argv[1:] if arguments is None else arguments:
            text = text.replace(each, _on_one_line(each)) if len(each) > 1 else text
        print(f"conformance: {text}", file=sys.stderr)
        return MISUSED
    except OSError as error:
        if error.filename is None and error.errno not in _OF_OUTPUTS:
            raise
        where = _on_one_line(error.filename or "standard output")
        print(f"conformance: {where}: {error.strerror}", file=sys.stderr)
        return MISUSED


def _on_one_line(message: object) -> str:
    """The text of an error, in which the name of a file may have lines."""
    return str(message).replace("\n", "\\n").replace("\r", "\\r")


_OF_OUTPUTS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)  # writing to a file that the shell has opened


def _misuses() -> tuple[type[Exception], ...]:
    """The errors that mean misuse; imported only after an error."""
    from conformance.adapters.recording import NotARecordingError, NotRecordedError
    from conformance.adapters.registry import EngineNotFoundError
    from conformance.report.jsonlines import NotAReportError
    from conformance.runner.processes import CannotForkError

    return (
        Misuse,
        EngineNotFoundError,
        CannotForkError,
        NotARecordingError,
        NotRecordedError,
        NotAReportError,
    )


class _Parser(argparse.ArgumentParser):
    """A parser that suggests a command for a mistyped one, and ends its help with examples."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and what is wrong; a wrong command is answered with the nearest one."""
        if found := re.search(r"argument COMMAND: invalid choice: '(.*?)' \(choose from", message):
            message = f"there is no command {found[1]}; {_near(found[1])}"
        super().error(message)


def _near(word: str) -> str:
    """The command that a mistyped one may mean."""
    from conformance.language.suggest import did_you_mean

    names = [name for names in JOBS.values() for name in names]
    if word in RENAMED:
        return f"it is `{RENAMED[word]}` now"
    return did_you_mean(word, names) or f"the commands are {', '.join(names)}"


class _Version(argparse.Action):
    """Print the versions of the suite, the specs, torch and Python."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from conformance.check.provenance import provenance

        about = provenance(())
        torch = f"torch {about.torch}" if about.torch else "no torch"
        specs = f"specs {about.specs} ({about.specs_hash})"
        print(f"conformance {about.suite}, {specs}, {torch}, NumPy {about.numpy}, Python {about.python}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    made = _Parser(
        prog="conformance",
        usage="conformance [-h] [--version] COMMAND ...",
        description="Conformance suite for autograd engines.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.set_defaults(parser=made)  # `docs` generates the list of commands from it
    made.add_argument(
        "--version", action=_Version, nargs=0, help="print the versions of the suite, specs, torch and Python"
    )
    commands = made.add_subparsers(
        required=True, prog="conformance", metavar="COMMAND", help=argparse.SUPPRESS, parser_class=_Parser
    )
    texts: dict[str, str] = {}

    def add(name: str, command: Command, text: str) -> argparse.ArgumentParser:
        shown = EXAMPLES.get(name, ())
        width = max((len(call) for call, _ in shown), default=0)
        calls = "\n".join(f"  {call:{width}}  # {does}" for call, does in shown)
        added = commands.add_parser(
            name,
            help=text,
            description=text,
            epilog=f"examples:\n{calls}\n{OF_RUN if name == 'run' else ''}" if shown else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(command=command)
        texts[name] = text
        return added

    for module in (specs, scenario, engine, results, releases, mutation, fuzz):
        module.add_commands(add)
    made.epilog = "\n".join(_grouped(texts))
    return made


def _grouped(texts: Mapping[str, str]) -> Iterator[str]:
    """The commands by job, with what they do."""
    for job, names in by_job(texts).items():
        yield f"{job}:"
        yield from (f"  {name:9} {texts[name]}" for name in names)
        yield ""
    yield "`conformance COMMAND --help` shows examples."
