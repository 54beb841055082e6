"""Recorded traces, which replace an engine.

Note [Recordings]: a recording is a file of JSON lines, compressed if its name ends in ``.gz``: a header that describes
the engine, one line per trace with the fingerprint of its scenario, and a footer with their number, which detects
truncated files.
"""

from __future__ import annotations

import gzip
import json
import platform
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from conformance.language.scenario import Scenario
from conformance.runner.engine import GROUPS, Engine
from conformance.runner.output import writing
from conformance.runner.serialize import fingerprint
from conformance.runner.trace import Trace

FORMAT = 1
"""The version of the file and trace format, incremented when the same program has another trace."""


class NotARecordingError(ValueError):
    """The file is not a complete recording; the message says why."""


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
        return Trace.from_json(known[1])


def write(path: Path, engine: Engine, traces: Iterable[tuple[Scenario, Trace]], available: set[str]) -> int:
    """Write a recording; returns the number of traces. The file appears only when it is complete."""
    header = {
        "format": FORMAT,
        "engine": engine.name,
        "version": engine.version,
        "python": platform.python_version(),
        "claims": [group for group in GROUPS if group in engine.claims],
        "available": sorted(available),
    }
    count = 0
    with writing(path) as raw:
        compressed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix == ".gz" else raw
        compressed.write(_line({"recording": header}))
        for scenario, trace in traces:
            key = {"scenario": scenario.id, "fingerprint": fingerprint(scenario)}
            compressed.write(f"{json.dumps(key)}\t{trace.to_json()}\n".encode())
            count += 1
        compressed.write(_line({"traces": count}))
        if compressed is not raw:
            compressed.close()
    return count


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data).encode() + b"\n"


def read(path: Path) -> Recording:
    """Read a recording. Traces are parsed on demand, since a run may need few of them."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise NotARecordingError(f"{path} cannot be read: {error}") from None
    first, *lines = text.splitlines() or [""]
    try:
        header = json.loads(first)["recording"]
    except (ValueError, TypeError, KeyError):
        raise NotARecordingError(f"{path} does not begin like a recording") from None
    if header.get("format") != FORMAT:
        raise NotARecordingError(
            f"{path} has format {header.get('format')}, and this reads {FORMAT}: record again"
        )
    traces = dict(_traces(path, lines[:-1]))
    try:
        complete = json.loads(lines[-1])["traces"] == len(lines) - 1
    except (ValueError, TypeError, KeyError, IndexError):
        raise NotARecordingError(f"{path} was cut off after line {len(lines) + 1}") from None
    if not complete or len(traces) < len(lines) - 1:
        raise NotARecordingError(f"{path} has another number of traces than its last line says")
    if not traces:
        raise NotARecordingError(f"{path} has no traces")
    return Recording(
        str(path),
        header["engine"],
        header["version"],
        frozenset(header["claims"]),
        frozenset(header["available"]),
        traces,
    )


def _traces(path: Path, lines: list[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    for number, line in enumerate(lines, start=2):
        key, _, trace = line.partition("\t")
        try:
            found = json.loads(key)
            yield found["scenario"], (found["fingerprint"], trace)
        except (ValueError, TypeError, KeyError):
            raise NotARecordingError(f"{path}:{number} is not a trace") from None
