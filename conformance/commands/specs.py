"""The commands about scenario files: lint them, check claims, run the specs."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.check import locate
from conformance.commands.command import (
    FAILED,
    Add,
    Misuse,
    announce,
    at_least_one,
    bar,
    scenarios_in,
    takes_engine,
    takes_engine_python,
    takes_format,
    takes_reference,
    takes_time_limit,
    with_progress,
)

if TYPE_CHECKING:
    from conformance.language.scenario import Scenario
    from conformance.report.result import Result
    from conformance.runner.engine import Engine


def add_commands(add: Add) -> None:
    """The commands of this module."""
    linting = add("lint", lint, "check scenario files; with --deep, run them on torch too")
    linting.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="files and folders (default: the specs)"
    )
    linting.add_argument(
        "--deep",
        action="store_true",
        help="also run them on torch: find statements without effect and results that torch does not reproduce",
    )
    linting.add_argument(
        "--processes",
        type=at_least_one,
        default=os.cpu_count() or 1,
        metavar="P",
        help="processes of --deep (default: one per processor)",
    )

    claiming = add("claims", claims, "check what documents say against torch, and whether an engine agrees")
    claiming.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="FOLDER",
        help="a folder with claims and scenarios (default: the specs)",
    )
    takes_format(claiming, "text", "markdown", "json", more="; markdown has a page for each document")
    takes_engine(claiming, "inhouse", "the engine to compare")
    takes_engine_python(claiming)
    takes_reference(claiming)
    takes_time_limit(claiming)

    running = add("run", run, "run the suite's own specs with pytest; all other options go to pytest")
    running.add_argument(
        "--engine", action="append", default=[], help="an engine to check; repeatable (default: inhouse)"
    )


def lint(known: argparse.Namespace, _: list[str]) -> int:
    """Print all problems of all files, one per line."""
    from conformance.check.library import Library
    from conformance.language.claims import load_claims
    from conformance.language.lint import remarks, uncovered

    paths: list[Path] = known.paths or [locate.specs()]
    for path in paths:
        if not path.exists():
            raise Misuse(f"{path} does not exist")
    library = Library()
    problems: list[object] = []
    scenarios: list[Scenario] = []
    files = 0
    for path in locate.scenario_files(paths):
        if locate.is_scenario_file(path):
            files += 1
            loaded = library.load(path)
            problems += (*loaded.problems, *remarks(loaded.scenarios))
            scenarios += loaded.scenarios
        elif locate.lists_claims(path):
            if path in paths:  # those of a folder are read together, below
                problems += load_claims(path).problems
        elif path in paths or locate.may_be_meant(path):
            problems += library.load(path).problems  # reports that the key `scenarios` is missing
    for folder in filter(Path.is_dir, paths):
        claims = library.claims(folder.resolve())
        problems += claims.problems
        for claim in uncovered(claims, scenarios):
            problems.append(f"{claim.position}: no scenario tests {claim.id}")
    if known.deep:
        problems += _deep(scenarios, known.processes)
    for problem in problems:
        print(problem)
    print(
        f"{_count(len(scenarios), 'scenario')} in {_count(files, 'file')}: {_count(len(problems), 'problem')}"
    )
    return FAILED if problems else 0


def _deep(scenarios: Sequence[Scenario], processes: int) -> Sequence[object]:
    """The problems found by running scenarios on torch; scenarios whose needs are not met are skipped."""
    from conformance.check.engine_under_test import reference
    from conformance.lint_deep.campaign import examine
    from conformance.runner.execute import available

    try:
        torch = reference(here=True)
    except LookupError as error:
        raise Misuse(str(error)) from None
    here = [each for each in scenarios if all(available(torch, need) for need in each.needs)]
    return examine(here, processes, bar)


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def claims(known: argparse.Namespace, _: list[str]) -> int:
    """Run every scenario that has a claim on torch and the engine, and print a table, the claims or pages."""
    from conformance.check.engine_under_test import engine_of_command, reference
    from conformance.check.findings import findings
    from conformance.check.library import Library
    from conformance.report.claims import as_json, contradiction
    from conformance.report.document_page import pages
    from conformance.report.terminal import summary
    from conformance.report.text import label

    folder = (known.folder or locate.specs()).resolve()
    if not locate.claims_files(folder):
        raise Misuse(
            f"{known.folder or folder} has no claims: neither a claims.yaml nor files in a folder claims"
        )
    torch = reference(known.reference)
    checked = engine_of_command(known.engine, known.engine_python)
    if incomplete := getattr(torch, "incomplete", ""):
        print(f"{known.reference} is incomplete: {incomplete}", file=sys.stderr)
    library = Library()  # after the engines, since loading all specs takes time
    scenarios = [scenario for scenario in scenarios_in([folder], library) if scenario.claims]
    results = _results(scenarios, torch, checked, known.seconds)
    found = [finding for each in findings(library, results) for finding in each.found]
    if known.format == "json":
        print(json.dumps(as_json(found), indent=2, ensure_ascii=False))
    elif known.format == "markdown":
        verdicts = {finding.claim.id: finding.verdict_observed for finding in found}
        made = pages(library.claims(folder), verdicts, scenarios, label(torch.name, torch.version))
        print("\n".join(made.values()))
    else:
        titles = {key: document.title for key, document in library.claims(folder).documents.items()}
        for line in summary(results, titles, found):
            print(line)
    problems = library.claims(folder).problems
    wrong = [finding for finding in found if finding.contradicted]
    for text in (*map(str, problems), *map(contradiction, wrong)):
        print(text, file=sys.stderr)
    agrees = all(finding.engine_agrees for finding in found)
    return 0 if agrees and not wrong and not problems else FAILED


def _results(scenarios: Sequence[Scenario], reference: Engine, engine: Engine, limit: float) -> list[Result]:
    from conformance.check.checker import Checker

    check = Checker(reference, seconds=limit)
    for each in (reference, engine):
        announce(each, [scenario for scenario in scenarios if not scenario.needs], limit)
    return [check(scenario, engine).result for scenario in with_progress(scenarios)]


def run(known: argparse.Namespace, others: list[str]) -> int:
    """Run pytest on the specs; ``area/topic.yaml::id`` selects a part of them."""
    import pytest

    specs = locate.specs()
    targets = [part for part in others if _names_spec(specs, part)]
    arguments = [str(specs / part) if part in targets else part for part in others]
    engines = [f"--engine={name}" for name in known.engine]
    # Cache and node ids belong to the current folder, not to where the package is installed.
    rootdir = f"--rootdir={os.getcwd()}"
    # The package, also a plugin, is imported already, so pytest cannot rewrite its asserts.
    quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return pytest.main([rootdir, *quiet, *engines, *arguments, *([] if targets else [str(specs)])])


def _names_spec(specs: Path, part: str) -> bool:
    name = part.partition("::")[0]
    return name.endswith((".yaml", "/")) and (specs / name).exists()
