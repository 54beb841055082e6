"""The command line. Each command imports what it needs: `lint` neither torch nor an engine."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance import locate

if TYPE_CHECKING:
    from conformance.library import Library
    from conformance.report.result import Result
    from conformance.spec.scenario import Scenario

Command = Callable[[argparse.Namespace, list[str]], int]

FAILED, MISUSED = 1, 2


class Misuse(Exception):  # noqa: N818 - an answer to the person who typed the command
    """The command cannot be done as it was given."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, 1 where something is wrong, 2 for a misuse."""
    parser = _parser()
    known, others = parser.parse_known_args(arguments)
    command: Command = known.command
    if others and command is not run:
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    if os.getcwd() not in sys.path:  # an engine beside the scenarios, as with `python -m`
        sys.path.append(os.getcwd())
    try:
        return command(known, others)
    except Misuse as misuse:
        print(f"conformance: {misuse}", file=sys.stderr)
        return MISUSED
    except BrokenPipeError:  # as in `conformance claims | head`
        sys.stderr.close()
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="conformance", description="Conformance suite for autograd engines."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(command=command)
        return added

    linting = add("lint", lint, "check scenario files without running them")
    linting.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="files and folders (default: the specs)"
    )

    claiming = add(
        "claims", claims, "what torch makes of the documents' claims, and whether an engine agrees"
    )
    claiming.add_argument("--format", choices=("text", "json"), default="text", help="(default: text)")
    claiming.add_argument("--engine", default="inhouse", help="(default: inhouse)")

    from conformance.commands import add_commands  # it imports this module

    add_commands(add)

    from conformance.engine_commands import add_commands as add_engine_commands

    add_engine_commands(add)

    from conformance.mutation_commands import add_commands as add_mutation_commands

    add_mutation_commands(add)

    fuzzing = add("fuzz", fuzz, "random programs on torch and an engine; what diverges becomes a scenario")
    fuzzing.add_argument("--engine", default="inhouse", help="(default: inhouse)")
    fuzzing.add_argument("--examples", type=int, default=1000, metavar="N", help="programs (default: 1000)")
    fuzzing.add_argument("--seed", type=int, default=0, metavar="S", help="other seeds draw other programs")
    fuzzing.add_argument("--save", type=Path, metavar="DIR", help="write what diverges as scenario files")
    fuzzing.add_argument("--processes", type=int, default=1, metavar="P", help="(default: 1)")
    fuzzing.add_argument(
        "--results", type=Path, metavar="FILE", help="kept after each batch; a run goes on from it"
    )

    running = add("run", run, "run the suite's own specs with pytest; other options are pytest's")
    running.add_argument("--engine", action="append", default=[], help="repeatable (default: inhouse)")
    return parser


def lint(known: argparse.Namespace, _: list[str]) -> int:
    """All problems of all files, a line each."""
    from conformance.library import Library
    from conformance.spec.lint import remarks, uncovered
    from conformance.spec.load import is_scenario_file

    paths: list[Path] = known.paths or [locate.specs()]
    for path in paths:
        if not path.exists():
            raise Misuse(f"there is no {path}")
    library = Library()
    problems: list[object] = []
    scenarios: list[Scenario] = []
    for path in locate.scenario_files(paths):
        if is_scenario_file(path):
            loaded = library.load(path)
            problems += (*loaded.problems, *remarks(loaded.scenarios))
            scenarios += loaded.scenarios
        elif path.name == locate.CLAIMS:
            problems += library.claims(path.resolve()).problems
        elif path in paths:
            problems += library.load(path).problems  # that there is no key `scenarios`
    for folder in filter(Path.is_dir, paths):
        claims = (
            library.claims((folder / locate.CLAIMS).resolve()) if (folder / locate.CLAIMS).exists() else None
        )
        for claim in uncovered(claims, scenarios) if claims else ():
            problems.append(f"{claim.position}: no scenario bears on {claim.id}")
    for problem in problems:
        print(problem)
    files = len({scenario.position.file for scenario in scenarios})
    print(
        f"{_count(len(scenarios), 'scenario')} in {_count(files, 'file')}: {_count(len(problems), 'problem')}"
    )
    return FAILED if problems else 0


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def claims(known: argparse.Namespace, _: list[str]) -> int:
    """Every scenario of the specs that bears on a claim, on torch and the engine; then the table."""
    from conformance.findings import findings
    from conformance.library import Library
    from conformance.report.claims import as_json, contradiction
    from conformance.report.terminal import summary

    library = Library()
    results = _results(library, known.engine)
    found = [finding for each in findings(library, results) for finding in each.found]
    if known.format == "json":
        print(json.dumps(as_json(found), indent=2, ensure_ascii=False))
    else:
        documents = library.claims(locate.specs() / locate.CLAIMS).documents
        titles = {key: document.title for key, document in documents.items()}
        for line in summary(results, titles, found):
            print(line)
    wrong = [finding for finding in found if finding.contradicted]
    for finding in wrong:
        print(contradiction(finding), file=sys.stderr)
    agrees = all(finding.engine_agrees for finding in found)
    return 0 if agrees and not wrong else FAILED


def _results(library: Library, engine: str) -> list[Result]:
    from conformance.adapters.registry import EngineNotFoundError, find

    loaded = library.load_all([locate.specs()])
    if loaded.problems:
        raise Misuse("\n".join(["the specs have problems:", *map(str, loaded.problems)]))
    try:
        reference, checked = find("torch"), find(engine)
    except EngineNotFoundError as error:
        raise Misuse(str(error)) from None
    from conformance.check import Checker

    check = Checker(reference)
    scenarios = [scenario for scenario in loaded.scenarios if scenario.claims]
    return [check(scenario, checked).result for scenario in _with_progress(scenarios)]


def _with_progress(scenarios: Sequence[Scenario]) -> Iterator[Scenario]:
    """The scenarios, counted on a terminal: they take a while."""
    for number, scenario in enumerate(scenarios, start=1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(scenarios)}", end="\r", file=sys.stderr, flush=True)
        yield scenario


def fuzz(known: argparse.Namespace, _: list[str]) -> int:
    """Exit status 0 where nothing diverged, 1 where something did."""
    from conformance.adapters.registry import find
    from conformance.fuzz.campaign import Campaign, resume, run_campaign
    from conformance.fuzz.save import save

    try:
        campaign = resume(known.results, known.engine, known.seed)
    except ValueError as error:
        raise Misuse(str(error)) from None

    def progress(so_far: Campaign, rate: float) -> None:
        text = f"{so_far.tally.programs} of {known.examples} programs, {rate:.0f} a second, {len(so_far.found)} found"
        print(f"\r{text}", end="", file=sys.stderr, flush=True)

    run_campaign(campaign, known.examples, known.processes, known.results, progress)
    print(file=sys.stderr)
    tally = campaign.tally
    print(f"{tally.programs} programs of {tally.statements} statements on torch and {known.engine}")
    for feature, count in tally.features.most_common():
        print(f"{100 * count / max(tally.programs, 1):5.1f} %  {feature}")
    for found in campaign.found:
        print(f"\n{found.difference}\n")
        print("\n".join(f"    {line}" for text in found.statements for line in text.splitlines()))
        if known.save is not None:
            print(f"saved as {save(found, known.save, find('torch'))}")
    print(f"\n{len(campaign.found)} kinds of divergence")
    return FAILED if campaign.found else 0


def run(known: argparse.Namespace, others: list[str]) -> int:
    """Run pytest on the specs; ``area/topic.yaml::id`` names a part of them wherever they are installed."""
    import pytest

    specs = locate.specs()
    targets = [part for part in others if _names_spec(specs, part)]
    arguments = [str(specs / part) if part in targets else part for part in others]
    engines = [f"--engine={name}" for name in known.engine]
    # Cache and node ids belong to the folder the command is given in, not to where the package is installed.
    return pytest.main([f"--rootdir={os.getcwd()}", *engines, *arguments, *([] if targets else [str(specs)])])


def _names_spec(specs: Path, part: str) -> bool:
    name = part.partition("::")[0]
    return name.endswith((".yaml", "/")) and (specs / name).exists()
