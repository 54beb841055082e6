"""The commands about engines: describe, cover and record them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.commands.command import (
    FAILED,
    Add,
    Misuse,
    announce,
    scenarios_from,
    takes_engine,
    takes_engine_python,
    takes_format,
    takes_paths,
    takes_reference,
    takes_time_limit,
    with_progress,
)
from conformance.language.scenario import TIERS

if TYPE_CHECKING:
    from conformance.check.engine_under_test import EngineUnderTest
    from conformance.language.scenario import Scenario, Tier
    from conformance.language.usage import Usage
    from conformance.runner.engine import Engine


def add_commands(add: Add) -> None:
    """The commands of this module."""
    describing = add(
        "engine",
        describe_engine,
        "describe an engine: what can be read, which names are missing, what to do next",
    )
    describing.add_argument(
        "name",
        metavar="ENGINE",
        help="a registered name, a module that looks like torch, or module:attribute",
    )
    takes_engine_python(describing)
    takes_reference(describing, "for --propose")
    takes_time_limit(describing)
    describing.add_argument(
        "--propose",
        action="store_true",
        help="run all scenarios and print a diff of what its divergence file needs; write nothing",
    )
    describing.add_argument(
        "--tier", choices=TIERS, default="full", help="the last tier that --propose runs (default: full)"
    )
    describing.add_argument(
        "--source",
        metavar="OPERATOR",
        help="print all that runs for an operator, as mul: its forward, formulas, node, generated functions",
    )
    takes_paths(describing)

    covering = add(
        "coverage",
        coverage,
        "the vocabulary by area: which names an engine provides, which ones scenarios use",
    )
    takes_engine(covering, "inhouse", "the engine whose names are listed")
    takes_engine_python(covering)
    takes_format(covering, "text", "json")
    takes_paths(covering)

    recording = add("record", record, "record the traces of torch, or of another engine, in a file")
    takes_engine(recording, "torch", "the engine to record")
    takes_engine_python(recording)
    recording.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="the recording, which is compressed if the name ends in .gz",
    )
    takes_time_limit(recording)
    recording.add_argument(
        "--tier", choices=TIERS, default="full", help="the last tier that is recorded (default: full)"
    )
    takes_paths(recording)


def describe_engine(known: argparse.Namespace, _: list[str]) -> int:
    """Describe an engine to its author; or print what its divergence file needs, or what runs for an operator."""
    from conformance.adapters.probe import probe
    from conformance.check.engine_under_test import engine_of_command, reference, with_divergences
    from conformance.language.usage import names_used
    from conformance.report.engine import describe

    if known.source is not None:
        return _show_source(known.name, known.source)
    found = with_divergences(engine_of_command(known.name, known.engine_python))
    if found.problems and found.file.is_file():  # a file that is named may not exist yet
        raise Misuse("\n".join(map(str, found.problems)))
    if known.propose:
        scenarios = scenarios_from(known.paths, known.tier)
        torch = reference(known.reference)
        if incomplete := getattr(torch, "incomplete", ""):
            print(f"{known.reference} is incomplete: {incomplete}", file=sys.stderr)
        return _propose(found, scenarios, torch, known.paths is None and known.tier == "full", known.seconds)
    remote = getattr(found.engine, "probe", None)
    facts = remote() if remote else probe(found.engine)

    def read() -> list[Usage]:
        if sys.stderr.isatty():
            print("reading the programs of the scenarios ...", end="\r", file=sys.stderr, flush=True)
        tier: Tier = "core" if known.paths is None else "full"
        return [names_used(scenario) for scenario in with_progress(scenarios_from(known.paths, tier))]

    command = known.name + (f" --engine-python {known.engine_python}" if known.engine_python else "")
    for line in describe(command, facts, read, entries=len(found.entries)):
        print(line, flush=True)
    return FAILED if facts["made"] else 0


def _show_source(name: str, operator: str) -> int:
    """The functions that run for an operator, of an engine that generates them."""
    from conformance.check.engine_under_test import engine as found
    from conformance.language.suggest import did_you_mean

    engine = found(name, here=True)
    listings = getattr(engine, "listings", None)
    if listings is None:
        raise Misuse(
            f"{engine.name} does not generate functions: --source is for the in-house engine, inhouse"
        )
    operators = listings.operators()
    if operator in operators:
        print(listings.listing(operator), end="")
        return 0
    near = did_you_mean(operator, operators)
    within = [f"`{each}`" for each in operators if operator in each]
    if not near and within:
        near = f"did you mean {', '.join(within[:8])}?"
    place = listings.composed_in(operator)
    is_composed = f"; the function of that name, which calls others, is in {place}" if place else ""
    raise Misuse(f"{engine.name} has no operator `{operator}`{is_composed}{'; ' * bool(near)}{near}")


def coverage(known: argparse.Namespace, _: list[str]) -> int:
    """Compare the vocabulary with an engine and the scenarios; status 1 if no scenario uses some name."""
    from conformance.adapters.probe import probe
    from conformance.check.engine_under_test import engine_of_command
    from conformance.language.usage import names_used
    from conformance.language.vocabulary import entries
    from conformance.report.coverage import as_json, as_text, cover

    covered = engine_of_command(known.engine, known.engine_python)
    remote = getattr(covered, "probe", None)
    facts = remote() if remote else probe(covered)
    lacking = {*facts["lacking"], *facts["unanswered"]}
    areas = cover(entries(), lacking, map(names_used, scenarios_from(known.paths)))
    if known.format == "json":
        print(json.dumps(as_json(areas, facts), indent=2))
    else:
        for line in as_text(areas, facts["name"]):
            print(line)
    return FAILED if any(area.unexercised for area in areas) else 0


def _propose(
    found: EngineUnderTest, scenarios: Sequence[Scenario], torch: Engine, whole: bool, seconds: float
) -> int:
    """Run all scenarios and print the diff; crashes that no entry can cover go to stderr."""
    from conformance.adapters.divergences import cover
    from conformance.check.proposing import by_cause
    from conformance.report.causes import clustered, description, texts_of
    from conformance.report.proposal import Undeclared, diff, of_engine
    from conformance.report.text import short_path
    from conformance.runner.compare import is_ending
    from conformance.runner.engine import terms_of
    from conformance.runner.execute import available, run
    from conformance.runner.terms import left_out
    from conformance.runner.verdict import judge

    terms = terms_of(found.engine)
    ran = {scenario.id for scenario in scenarios}
    entries = {entry for entry in found.entries if entry.scenario not in ran and not (entry.wide and whole)}
    undeclared: list[Undeclared] = []
    texts: dict[str, list[str]] = {}  # of a scenario: what may describe its cause
    uncoverable: list[str] = []
    possible = [each for each in scenarios if all(available(torch, need) for need in each.needs)]
    for each in (torch, found.engine):
        announce(each, possible, seconds)
    for scenario in with_progress(scenarios):
        if not all(available(torch, need) for need in scenario.needs):
            entries |= {entry for entry in found.entries_for(scenario.id) if not entry.wide}
            continue
        if left_out(scenario, terms):
            continue
        expected, trace = (run(scenario, each, seconds=seconds) for each in (torch, found.engine))
        outcome = judge(scenario, expected, trace, found.engine.claims, terms)
        coverage = cover(scenario.id, outcome.differences, found.entries)
        entries.update(coverage.used)
        if outcome.verdict == "unsupported":
            continue
        ending = [each for each in coverage.uncovered if is_ending(each)]
        uncoverable += [f"{scenario.id}: {each.engine}" for each in ending]
        if coverage.uncovered and not ending:
            undeclared.append(Undeclared(scenario.id, coverage.uncovered))
            what, operations, _ = description(scenario, coverage.uncovered, expected)
            texts[scenario.id] = texts_of(what, operations)
    undeclared = [
        replace(each, why=text)
        for text, alike in clustered(undeclared, lambda each: texts[each.scenario])
        for each in alike
    ]
    remaining = [entry for entry in found.entries if entry in entries]
    text = found.file.read_text(encoding="utf-8") if found.file.is_file() else ""
    lines: list[str] = []
    if undeclared or len(remaining) < len(found.entries):
        lines += diff(
            short_path(found.file),
            text,
            of_engine(found.engine.name),
            remaining,
            by_cause(undeclared, len(scenarios)),
        )
    for line in lines or [f"{short_path(found.file)} needs no change"]:
        print(line)
    for line in uncoverable:
        print(f"no entry covers this: {line}", file=sys.stderr)
    if lines and not found.file.is_file() and not getattr(found.engine, "divergences", None):
        print(
            f"{found.engine.name} names its file in an attribute: divergences = {str(found.file)!r}",
            file=sys.stderr,
        )
    return FAILED if uncoverable else 0


def record(known: argparse.Namespace, _: list[str]) -> int:
    """Run all scenarios on one engine and record the traces."""
    from conformance.adapters.recording import write
    from conformance.check.engine_under_test import engine_of_command
    from conformance.check.provenance import provenance
    from conformance.runner.execute import available, run
    from conformance.runner.signals import ended_by_exception

    about = provenance((), known.tier)
    recorded = engine_of_command(known.engine, known.engine_python)
    scenarios = scenarios_from(known.paths, known.tier)
    needs = {need for scenario in scenarios for need in scenario.needs}
    there = {need for need in needs if available(recorded, need)}
    possible = [scenario for scenario in scenarios if there.issuperset(scenario.needs)]
    announce(recorded, possible, known.seconds)
    traces = (
        (scenario, run(scenario, recorded, seconds=known.seconds)) for scenario in with_progress(possible)
    )
    try:
        with ended_by_exception():
            count = write(known.output, recorded, traces, there, len(possible), about.to_plain())
    except OSError as error:
        said = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
        raise Misuse(f"{known.output}: {error.strerror}{said}") from None
    skipped = f"; {len(scenarios) - count} skipped, whose needs this machine does not meet" * (
        count < len(scenarios)
    )
    print(
        f"{known.output}: {count} scenario{'s' * (count != 1)} on {recorded.name} {recorded.version}{skipped}"
    )
    return 0
