"""What a release of torch does differently from the release that the specs describe.

Note [Releases of torch]
  - The specs describe one release, and the suite has a recording of it. Where the reference is another release, its
    trace of a scenario is compared with that recording. Each difference must be explained by a file in
    ``specs/releases``, named after a release, which has the form of a divergence file.
  - A file says what its release does differently from its neighbour on the way to the release of the specs. So the
    files of all releases on that way apply, up to the reference's own. An entry is stale only where its own release
    is the reference.
  - An engine may follow either release. It is compared with the recording first, then with the reference, and is at
    fault only if it differs from both.
  - The recording has the tiers core and standard. For the other specs the in-house engine replaces it, which runs of
    those specs compare with the release that they describe. Scenarios of other people are compared with the
    reference alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conformance.adapters import divergences
from conformance.adapters.divergences import Coverage, Divergence, cover
from conformance.adapters.recording import NotARecordingError, NotRecordedError, Recording, read
from conformance.adapters.registry import EngineNotFoundError, find
from conformance.check.locate import is_in_specs, specs
from conformance.language.load_result import Problem
from conformance.language.scenario import Scenario
from conformance.language.words import RELEASE
from conformance.report.text import short_path
from conformance.runner.compare import differences
from conformance.runner.execute import run
from conformance.runner.extras import how_to_install
from conformance.runner.trace import Trace

RECORDING = Path(divergences.__file__).with_name(f"torch-{RELEASE}.jsonl.gz")
"""The recording of the release of the specs, which `conformance record --tier standard` makes."""

Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """The file of one release."""

    version: Version
    path: Path
    entries: tuple[Divergence, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """A release of torch other than that of the specs, and the files that explain it, nearest to the specs first."""

    version: Version
    files: tuple[ReleaseFile, ...]

    @property
    def label(self) -> str:
        """As people write it."""
        return label(self.version)

    @property
    def path(self) -> Path:
        """Its own file, which may not exist."""
        return folder() / f"{self.label}.yaml"

    @property
    def explained(self) -> str:
        """The release up to which files explain what changed."""
        return label(self.files[-1].version) if self.files else label(version_of(RELEASE) or self.version)

    @property
    def entries(self) -> tuple[Divergence, ...]:
        """The entries of all its files."""
        return tuple(entry for file in self.files for entry in file.entries)

    def cover(self, scenario: Scenario, recorded: Trace | None, trace: Trace) -> Coverage:
        """The differences of this release in a scenario, matched with its files; no trace for no difference."""
        found = differences(scenario, recorded, trace) if recorded is not None else ()
        coverage = cover(scenario.id, found, self.entries)
        own = {entry for file in self.files if file.version == self.version for entry in file.entries}
        return Coverage(coverage.used, tuple(own.intersection(coverage.stale)), coverage.uncovered)


@dataclass(frozen=True, slots=True)
class Change:
    """What the reference does in one scenario differently from the release of the specs."""

    before: Trace  # of the release of the specs
    coverage: Coverage


def folder() -> Path:
    """The folder of the files."""
    return specs() / "releases"


def label(version: Version) -> str:
    """Major and minor version, as people write them."""
    return ".".join(map(str, version))


def version_of(text: str) -> Version | None:
    """Major and minor version, of a text such as 2.14.1+cpu; None if it has none."""
    found = re.match(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def release_files(files: Iterable[Path] | None = None) -> tuple[ReleaseFile, ...]:
    """The files of all releases, oldest first; invalid content is among their problems."""
    from conformance.language.divergences import load_release

    found = []
    for path in folder().glob("*.yaml") if files is None else files:
        declared = load_release(Path(short_path(path)))
        version = version_of(path.stem)
        if version is not None:
            entries = tuple(Divergence(**entry) for entry in declared.entries)
            found.append(ReleaseFile(version, path, entries, declared.problems))
    return tuple(sorted(found, key=lambda file: file.version))


def release_of(name: str, version: str, files: Iterable[Path] | None = None) -> Release | None:
    """The release of a reference; None if it is that of the specs, or no torch."""
    here, described = version_of(version), version_of(RELEASE)
    if name != "torch" or here is None or described is None or here == described:
        return None
    known = release_files(files)
    if here > described:
        return Release(here, tuple(file for file in known if described < file.version <= here))
    return Release(here, tuple(file for file in reversed(known) if here <= file.version < described))


@cache
def shipped() -> Recording | None:
    """The suite's own recording, if it has one."""
    try:
        return read(RECORDING)
    except NotARecordingError:
        return None


def is_shipped(reference: object) -> bool:
    """Whether a reference is the suite's own recording."""
    return isinstance(reference, Recording) and Path(reference.path).resolve() == RECORDING.resolve()


def not_shipped(scenario: Scenario) -> str:
    """What is said where torch is not installed and the suite's own recording lacks a scenario."""
    return (
        f"torch is not installed, and the suite's recording of torch {RELEASE} has no trace of"
        f" {scenario.id} as it is now: {how_to_install('torch')}"
    )


def recorded_trace(scenario: Scenario) -> Trace | None:
    """The trace in the suite's own recording, if that has this program."""
    recording = shipped()
    try:
        return recording.trace_of(scenario) if recording is not None else None
    except NotRecordedError:
        return None


def change(
    release: Release, scenario: Scenario, trace: Trace, *, agrees: bool, seconds: float
) -> Change | None:
    """What a release changed in a scenario, or no longer changes; None if that is nothing.

    ``agrees``: whether the engine under test agrees with the release, so that the in-house engine need not run.
    """
    before = recorded_trace(scenario)
    if before is None and not is_in_specs(Path(scenario.position.file)):
        return None
    if before is None and not agrees:
        try:
            before = run(scenario, find("inhouse"), seconds=seconds)
        except EngineNotFoundError:
            return None
    coverage = release.cover(scenario, before, trace)
    if not (coverage.used or coverage.uncovered or coverage.stale):
        return None
    return Change(trace if before is None else before, coverage)
