"""``conformance mutants --sample``: faults that nobody chose."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.commands.command import (
    Misuse,
    at_least_one,
    progress_line,
    scenarios_from,
    takes_paths,
    takes_reference,
)

if TYPE_CHECKING:
    from conformance.mutation.changes import SourceChange
    from conformance.mutation.equivalents import Record
    from conformance.mutation.reach import RecordedCase
    from conformance.mutation.sources import Sources
    from conformance.mutation.trial import Trial


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a sample."""
    group = parser.add_argument_group("faults that nobody chose")
    group.add_argument(
        "--sample", type=at_least_one, metavar="N", help="make N faults at random from the engine's source"
    )
    group.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="the seed that the faults are drawn with (default: 0)",
    )
    group.add_argument(
        "--paths",
        dest="files",
        nargs="+",
        default=[],
        metavar="PATH",
        help="files and folders of the engine, or packages (default: the core of the in-house engine)",
    )
    group.add_argument("--engine", default="inhouse", help="an engine in pure Python (default: inhouse)")
    group.add_argument(
        "--tier",
        choices=("core", "standard"),
        default="standard",
        help="the last tier of the scenarios that run (default: standard)",
    )
    group.add_argument(
        "--equivalent", type=Path, metavar="FILE", help="the records of faults that no program can see"
    )
    group.add_argument(
        "--at-least",
        type=float,
        metavar="PERCENT",
        default=100.0,
        help="succeed from this score on (default: 100, no fault survives)",
    )
    takes_paths(group)  # type: ignore[arg-type]  # a group of options
    takes_reference(group)  # type: ignore[arg-type]


def sampled(known: argparse.Namespace) -> int:
    """Exit status 0 if enough faults are caught."""
    from conformance.mutation.reach import survey
    from conformance.mutation.score import as_json, percent, report, score
    from conformance.mutation.sources import NoSuchPathError, drawn, sources
    from conformance.mutation.trial import preload, trials
    from conformance.runner.processes import ProcessDied

    try:
        of = sources(known.files, known.engine)
    except NoSuchPathError as error:
        raise Misuse(str(error)) from None
    records = _records(known.equivalent, known.engine, of)
    changes = drawn([each for file in of.files for each in of.changes(file)], known.sample, known.seed, of)
    if not changes:
        raise Misuse(f"there is nothing to change in {', '.join(of.files)}")
    cases = _cases(known)
    preload(of)
    progress_line(f"{len(cases)} scenarios on the unchanged engine")
    try:
        visits = survey(cases, changes, known.engine, of, known.processes)
    except ProcessDied as error:
        raise Misuse(f"{known.engine} cannot be imported: {error}") from None
    ends = [case.scenario.id for case in cases if case.scenario.id not in visits]
    cases = [case for case in cases if case.scenario.id in visits]
    if ends:
        progress_line(f"left out, since they end the process of the unchanged engine: {', '.join(ends)}")
    if not cases:
        raise Misuse(f"every scenario ends the process of {known.engine}")
    found: dict[int, Trial] = {}
    for number, trial in trials(changes, cases, visits, known.engine, of, known.processes):
        found[number] = trial if trial.killer else replace(trial, equivalent=_reason(records, trial.change))
        progress_line(
            f"{len(found)} of {len(changes)} faults: {score([*found.values()])}", often=len(found) % 10 > 0
        )
    progress_line("")
    ordered = [found[number] for number in range(len(changes))]
    if known.format == "json":
        print(json.dumps(as_json(ordered, of.read), indent=2, ensure_ascii=False))
    else:
        print("\n".join(report(ordered, of.read)))
    return 0 if percent(ordered) >= known.at_least else 1


def _records(path: Path | None, engine: str, of: Sources) -> list[Record]:
    """The records of a file; raises Misuse if one is invalid or stale."""
    from conformance.mutation.equivalents import RECORDS, load, stale
    from conformance.mutation.sources import sources

    if path is None and engine != "inhouse":
        return []
    records, problems = load(path or RECORDS)
    whole = of if path else sources([], engine)
    named = {record.file for record in records}
    changes = [
        each for file in sorted(named) if (whole.root / file).is_file() for each in whole.changes(file)
    ]
    problems += stale(records, changes)
    if problems:
        raise Misuse("\n".join(map(str, problems)))
    return records


def _reason(records: Sequence[Record], change: SourceChange) -> str:
    return next((record.reason for record in records if record.covers(change)), "")


def _cases(known: argparse.Namespace) -> list[RecordedCase]:
    """The scenarios of the tier whose trace is recorded."""
    from conformance.adapters.recording import NotRecordedError, Recording
    from conformance.check.engine_under_test import reference
    from conformance.check.releases import RECORDING
    from conformance.mutation.reach import RecordedCase

    recording = reference(known.reference or str(RECORDING))
    assert isinstance(recording, Recording)
    chosen = scenarios_from(known.paths, known.tier)
    cases, stale = [], 0
    for scenario in chosen:
        if set(scenario.needs) - recording.available:
            continue
        try:
            recording.trace_of(scenario)
            cases.append(RecordedCase(scenario, partial(recording.trace_of, scenario)))
        except NotRecordedError:
            stale += 1
    if stale:
        progress_line(
            f"{stale} of {len(chosen)} scenarios are not in {recording.path}, and were left out: record it again"
        )
    if not cases:
        raise Misuse(f"no scenario of the tier {known.tier} is in {recording.path}")
    return cases
