"""Recorded traces, which replace an engine.

Note [Recordings]: a recording is a file of JSON lines with a checksum, compressed if its name ends in ``.gz``: a header
that describes the engine, one line per trace with the fingerprint of its scenario, and a footer with their number. See
Note [Checked lines].
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from conformance.language.scenario import Scenario
from conformance.runner.checked_lines import ENDED, DamagedError, LinesWriter, header_of, loads
from conformance.runner.checked_lines import read as read_lines
from conformance.runner.engine import GROUPS, Engine
from conformance.runner.fits import fits
from conformance.runner.output import Output
from conformance.runner.serialize import fingerprint
from conformance.runner.signals import reason
from conformance.runner.trace import Facet, Moment, Trace

FORMAT = 2
"""The version of the file and trace format, incremented when the same program has another trace."""


class NotARecordingError(ValueError):
    """The file is not a recording; the message says why."""


class NotRecordedError(LookupError):
    """The recording has no trace of the current scenario."""


@dataclass(frozen=True)
class Recording:
    """A recording, used instead of the recorded engine."""

    path: str
    name: str
    version: str
    claims: frozenset[str]
    available: frozenset[str]  # the needs that were met
    lines: dict[str, tuple[str, str]]  # scenario -> its fingerprint, its trace as text
    incomplete: str = ""  # why it does not have all traces
    about: Mapping[str, str] = field(default_factory=dict)  # where it comes from; empty in old files
    torch: None = None  # it runs nothing

    def observe(self, value: object, /) -> None:
        """A recording has no tensors."""

    def starting(self) -> bool:
        """A recording is always ready."""
        return False

    def trace_of(
        self, scenario: Scenario, *, seconds: float = 20, observe: Literal["each", "end"] | None = None
    ) -> Trace:
        """The trace that was recorded; `NotRecordedError` where the scenario is new or has changed."""
        known = self.lines.get(scenario.id)
        if known is None:
            raise NotRecordedError(f"{self.path} has no trace of {scenario.id}: record it again")
        if known[0] != fingerprint(scenario) or (observe or scenario.observe) != scenario.observe:
            raise NotRecordedError(
                f"the trace of {scenario.id} in {self.path} is stale, since its program has changed: "
                "record it again"
            )
        return self.recorded(scenario)

    def recorded(self, scenario: Scenario) -> Trace:
        """The trace of a scenario that has one."""
        try:
            trace = Trace.from_json(self.lines[scenario.id][1])
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            trace = None
        if trace is None or not _fits(trace) or not all(map(_places(scenario), trace.moments)):
            raise NotRecordedError(f"{self.path} has no valid trace of {scenario.id}: record it again")
        return trace


def _fits(trace: Trace) -> bool:
    """Whether a trace is well formed; facets that stay the same are looked at once."""
    facets = {id(each): each for moment in trace.moments for each in (moment.state or {}).values()}
    return (
        all(fits(each, dict[str, Facet]) for each in facets.values())
        and all(fits(replace(moment, state=None), Moment) for moment in trace.moments)
        and fits(replace(trace, moments=()), Trace)
    )


def _places(scenario: Scenario) -> Callable[[Moment], bool]:
    """Whether a moment is at a place of the scenario."""
    lines = [step.run.count("\n") + 1 for step in scenario.steps]

    def is_there(moment: Moment) -> bool:
        place = moment.statement
        return 0 <= place.step < len(lines) and 0 <= place.line <= lines[place.step]

    return is_there


def write(
    path: Path,
    engine: Engine,
    traces: Iterable[tuple[Scenario, Trace]],
    available: set[str],
    expected: int | None = None,
    about: Mapping[str, str] | None = None,
) -> int:
    """Write a recording; returns the number of traces, of which ``expected`` are coming.

    ``about`` is where they come from, as results have it.

    If the traces end with an error, or the file cannot be written, the traces so far stay as an incomplete recording
    where Note [Outputs] says, and the error has a note with the number of its traces.
    """
    header = {
        "format": FORMAT,
        "engine": engine.name,
        "version": engine.version,
        "python": platform.python_version(),
        "claims": [group for group in GROUPS if group in engine.claims],
        "available": sorted(available),
        "about": {**(about or {})},
    }
    output = Output(path)
    count = 0
    lines = None

    def footer(why: str, count: int) -> dict[str, Any]:
        of = "" if expected is None else f" of {expected}"
        return {"traces": count, "incomplete": why and f"{count}{of} traces: {why}"}

    try:
        lines = LinesWriter(output, {"recording": header}, footer(ENDED, 0))
        for scenario, trace in traces:
            key = {"scenario": scenario.id, "fingerprint": fingerprint(scenario)}
            line = f"{json.dumps(key)}\t{trace.to_json()}\n".encode()
            lines.add(line, footer(ENDED, count + 1))
            count += 1
        lines.end(footer("", count))
        output.finish()
    except BaseException as error:
        _leave(output, lines, count, footer(reason(error), count), error)
        raise
    return count


def _leave(
    output: Output, lines: LinesWriter | None, count: int, footer: dict[str, Any], error: BaseException
) -> None:
    """Leave an incomplete recording, if it has traces."""
    if lines is None or not count:
        output.discard()
        return
    if not isinstance(error, OSError):
        with suppress(OSError):  # the footer that is there says that it is incomplete
            lines.end(footer)
    error.add_note(f"{output.leave()} is incomplete: {footer['incomplete']}")


def read(path: Path) -> Recording:
    """Read a recording. Traces are parsed on demand, since a run may need few of them."""
    try:
        header: dict[str, Any] = {}
        lines, footer = read_lines(path, lambda line: header.update(_header(line)))
        traces = dict(_traces(lines))
    except DamagedError as error:
        raise NotARecordingError(f"{path}: {error}") from None
    incomplete = footer.get("incomplete")
    if footer.get("traces") != len(lines) or not isinstance(incomplete, str):
        raise NotARecordingError(f"{path}: its footer does not fit its {len(lines)} traces")
    if not traces:
        raise NotARecordingError(f"{path}: it has no traces")
    name, version = header["engine"], header["version"]
    claims, available = frozenset(header["claims"]), frozenset(header["available"])
    about = header.get("about", {})
    return Recording(str(path), name, version, claims, available, traces, incomplete, about)


def _header(line: str) -> dict[str, Any]:
    """The content of the header's line; raises `DamagedError` if it is none, or of another format."""
    header = header_of(line, "recording", FORMAT, "it does not begin like a recording", ": record it again")
    for key, hint in (("engine", str), ("version", str), ("claims", list[str]), ("available", list[str])):
        if not fits(header.get(key), hint):
            raise DamagedError(f"`{key}` of its header is not valid")
    if not fits(header.get("about", {}), dict[str, str]):
        raise DamagedError("`about` of its header is not valid")
    return header


def _traces(lines: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    seen = set()
    for number, line in enumerate(lines, start=2):
        key, _, trace = line.partition("\t")
        found = loads(key)
        if not fits(found, dict[str, str]) or not {"scenario", "fingerprint"} == found.keys():
            raise DamagedError(f"line {number} is not a trace")
        if found["scenario"] in seen:
            raise DamagedError(f"{found['scenario']} is there twice, in line {number} again")
        seen.add(found["scenario"])
        yield found["scenario"], (found["fingerprint"], trace)
