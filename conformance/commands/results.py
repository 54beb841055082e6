"""The commands that read results: tabulate, compare and join them, and make pages of them."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.commands.command import FAILED, Add, Misuse, scenarios_from, takes_format, takes_paths
from conformance.runner.engine import GROUPS

if TYPE_CHECKING:
    from conformance.report.jsonlines import Report


def add_commands(add: Add) -> None:
    """The commands of this module."""
    grading = add(
        "matrix", matrix, "a table of engines by area and group of facets, from --conformance-json files"
    )
    _takes_results(grading)
    takes_format(grading, "text", "markdown", "json")

    comparing = add(
        "diff",
        diff,
        "compare two results, or two recordings: what broke, what was fixed, what has another cause",
    )
    for side in ("before", "after"):
        comparing.add_argument(
            side, type=Path, metavar=side.upper(), help="a file of --conformance-json, or a recording"
        )
    takes_paths(comparing)

    joining = add(
        "join", join, "join the results of the shards of a run, and name the shards that are missing"
    )
    _takes_results(joining, ", one of each shard")
    joining.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="the file with all results"
    )

    summing = add("summary", summary, "a few kB of JSON from results, by tier, area and group; or a badge")
    summing.add_argument("file", type=Path, metavar="FILE", help="a file of --conformance-json")
    summing.add_argument(
        "--badge", action="store_true", help="a badge for shields.io's endpoint: the share that agrees"
    )
    summing.add_argument("--engine", default="", help="the engine of the badge (default: the only one)")
    summing.add_argument(
        "--group", choices=GROUPS, default="", help="the group of the badge (default: all that are claimed)"
    )
    summing.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the file to write (default: standard output)"
    )

    showing = add(
        "site", site, "static pages of results: the matrix, each engine with its history, each claim"
    )
    _takes_results(showing, "; several runs of an engine are its history")
    showing.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER", help="the folder of the pages"
    )


def _takes_results(parser: argparse.ArgumentParser, more: str = "") -> None:
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help=f"files of --conformance-json{more}"
    )


def matrix(known: argparse.Namespace, _: list[str]) -> int:
    """Tabulate the results of one or several files; status 1 if any of their runs failed or is incomplete."""
    from conformance.report.jsonlines import incomplete, merged
    from conformance.report.matrix import FORMATS
    from conformance.report.matrix import matrix as counted

    reports = _reports(known.files)
    results = merged(reports)
    for line in FORMATS[known.format](counted(results, incomplete(reports))):
        print(line)
    return 0 if all(report.passed and not report.incomplete for report in reports) else FAILED


def _reports(files: Sequence[Path]) -> list[Report]:
    from conformance.report.jsonlines import read

    return [read(path) for path in files]


def diff(known: argparse.Namespace, _: list[str]) -> int:
    """Report the changes between two files.

    The status is 1 if something broke, or the second file is incomplete; for recordings, if anything changed.
    """
    from conformance.runner.checked_lines import kind_of

    if "recording" in map(kind_of, (known.before, known.after)):
        return _diff_recordings(known)
    from conformance.report.diff import as_text
    from conformance.report.diff import diff as compared
    from conformance.report.jsonlines import incomplete

    if known.paths:
        raise Misuse(
            "--in names the scenarios of two recordings; results have what is compared in themselves"
        )
    before, after = _reports((known.before, known.after))
    found = compared(before, after)
    for line in (*incomplete((before, after)), *as_text(found, before, after)):
        print(line)
    return FAILED if found.broken or after.incomplete else 0


def _diff_recordings(known: argparse.Namespace) -> int:
    from conformance.adapters.recording import read
    from conformance.report.changes import as_text, changes
    from conformance.report.provenance import Provenance, described

    old, new = read(known.before), read(known.after)
    found = changes(old, new, scenarios_from(known.paths))
    for line in as_text(found):
        print(line)
    for side, each in (("before", old), ("after", new)):
        known_of = ", ".join(
            f"{name} {text}" for name, text in described(Provenance.from_plain({**each.about}))
        )
        print(f"  {side}: {each.name} {each.version}{known_of and f' ({known_of})'}")
    return FAILED if found.any else 0


def join(known: argparse.Namespace, _: list[str]) -> int:
    """Join shards into one file; status 1 if one is missing, incomplete or failed."""
    from conformance.report.join import join as joined
    from conformance.report.jsonlines import Writer
    from conformance.runner.output import Output

    reports = _reports(known.files)
    found = joined(reports)
    output = Output(known.output)
    writer = Writer(output, 0, found.about)
    writer.seconds, writer.collected = found.seconds, found.collected
    for result in found.results:
        writer.add(result)
    writer.end(0 if found.passed else FAILED, found.incomplete)
    output.finish()
    print(f"{known.output}: {len(found.results)} results of {len(reports)} shards")
    if found.incomplete:
        print(f"incomplete: {found.incomplete}")
    return FAILED if found.incomplete or not found.passed else 0


def summary(known: argparse.Namespace, _: list[str]) -> int:
    """Print or write what results come to."""
    from conformance.report.summary import badge
    from conformance.report.summary import summary as summed
    from conformance.runner.output import write_text

    if not known.badge and (known.engine or known.group):
        raise Misuse("--engine and --group are for --badge")
    (report,) = _reports([known.file])
    try:
        data = badge(report, known.engine, known.group) if known.badge else summed(report)
    except LookupError as error:
        raise Misuse(str(error)) from None
    text = json.dumps(data, indent=2, ensure_ascii=False)
    if known.output is None:
        print(text)
    else:
        write_text(known.output, f"{text}\n")
    return 0


def site(known: argparse.Namespace, _: list[str]) -> int:
    """Write the pages into a folder."""
    from conformance.check import locate
    from conformance.check.library import Library
    from conformance.report.site import pages
    from conformance.runner.output import write_text

    if os.path.dirname(place := os.path.realpath(known.output)) == place:
        raise Misuse(f"{known.output} is the root of the system: name a folder for the pages")
    reports = _reports(known.files)
    claims = Library().claims(locate.specs())
    titles = {key: document.title for key, document in claims.documents.items()}
    known.output.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, text in pages(reports, claims.claims, titles):
        write_text(known.output / name, text)
        count += 1
    print(f"{known.output}: {count} pages; begin with {known.output / 'index.html'}")
    return 0
