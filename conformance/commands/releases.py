"""The command about releases of torch: what one does differently from that of the specs."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from conformance.commands.command import (
    CHANGED,
    Add,
    Misuse,
    announce,
    scenarios_from,
    takes_paths,
    takes_reference,
    takes_time_limit,
    with_progress,
)

if TYPE_CHECKING:
    from conformance.adapters.divergences import Divergence
    from conformance.check.releases import Release
    from conformance.report.proposal import Undeclared


def add_commands(add: Add) -> None:
    """The command of this module."""
    changing = add(
        "changes",
        changes,
        "what another release of torch does differently from that of the specs, and a draft of its file",
    )
    takes_reference(changing)
    takes_time_limit(changing)
    takes_paths(changing)


def changes(known: argparse.Namespace, _: list[str]) -> int:
    """Print what files explain, what none does, and a diff of the release's file; status 10 if the file is lacking."""
    from conformance.check.engine_under_test import recording_instead, reference
    from conformance.check.releases import change, release_of, shipped
    from conformance.language.words import RELEASE
    from conformance.report.proposal import Undeclared
    from conformance.runner.compare import is_ending
    from conformance.runner.execute import available, run

    recording = known.reference or recording_instead()
    torch = reference(recording)
    release = release_of(torch.name, str(torch.version))
    if release is None:
        raise Misuse(
            f"{torch.name} {torch.version} is no other release of torch than {RELEASE}, which the specs describe"
        )
    if problems := [str(problem) for file in release.files for problem in file.problems]:
        raise Misuse("\n".join(problems))
    if shipped() is None:
        raise Misuse(f"there is no recording of torch {RELEASE} in this installation to compare with")
    scenarios = scenarios_from(known.paths)
    used: set[Divergence] = set()
    undeclared: list[Undeclared] = []
    explained = 0
    announce(torch, [each for each in scenarios if not each.needs], known.seconds)
    for scenario in with_progress(scenarios):
        if not all(available(torch, need) for need in scenario.needs):
            used.update(entry for entry in release.entries if entry.of(scenario.id))
            continue
        found = change(
            release,
            scenario,
            run(scenario, torch, seconds=known.seconds),
            agrees=False,
            seconds=known.seconds,
        )
        if found is None:
            continue
        used.update(found.coverage.used)
        explained += bool(found.coverage.used) and not found.coverage.uncovered
        ending = [each for each in found.coverage.uncovered if is_ending(each)]
        for each in ending:
            print(f"no entry covers this: {scenario.id}: {each.engine}", file=sys.stderr)
        if found.coverage.uncovered and not ending:
            undeclared.append(Undeclared(scenario.id, found.coverage.uncovered, scenario.position.file))
    ran = None if known.paths is None else {scenario.id for scenario in scenarios}
    print(
        f"torch {torch.version}: {len(scenarios)} scenarios, {explained} changed as files say,"
        f" {len(undeclared)} changed since {release.explained}"
    )
    for line in _draft(release, used, ran, undeclared):
        print(line)
    return CHANGED if undeclared else 0


def _draft(
    release: Release, used: set[Divergence], ran: set[str] | None, undeclared: list[Undeclared]
) -> list[str]:
    """A diff of the release's own file: without entries that explain nothing, with entries for what none explains."""
    from conformance.report.proposal import diff, of_release
    from conformance.report.text import short_path

    own = [entry for file in release.files if file.version == release.version for entry in file.entries]
    kept = [
        entry
        for entry in own
        if entry in used or (ran is not None and (entry.wide or entry.scenario not in ran))
    ]
    if len(kept) == len(own) and not undeclared:
        return []
    text = release.path.read_text(encoding="utf-8") if release.path.is_file() else ""
    return list(diff(short_path(release.path), text, of_release(release.label), kept, undeclared))
