"""Where an engine raised an error: its own frames as text."""

from __future__ import annotations

import linecache
import os
from collections.abc import Sequence
from pathlib import PurePath

from conformance.report.text import short_path
from conformance.runner.trace import Frame, Trace
from conformance.runner.verdict import Outcome

_PACKAGES = ("site-packages", "dist-packages")


def raised_in(outcome: Outcome, trace: Trace) -> str:
    """The engine's frames of the error that decides an outcome; empty if no error does, or it was raised elsewhere."""
    first = outcome.differences[0] if outcome.differences else None
    of_error = first is not None and first.facet in ("raised", "message")
    place = first.statement if first is not None and of_error else outcome.lacking
    moment = next((each for each in trace.moments if each.statement == place), None)
    return "" if moment is None or moment.raised is None else as_text(moment.frames)


def as_text(frames: Sequence[Frame]) -> str:
    """The frames as Python shows them, the innermost last, with paths below the packages or the current folder."""
    lines = []
    for frame in frames:
        lines.append(f'File "{_short(frame.file)}", line {frame.line}, in {frame.function}')
        if source := linecache.getline(frame.file, frame.line).strip():
            lines.append(f"  {source}")
    return "\n".join(lines)


def _short(file: str) -> str:
    parts = PurePath(file).parts
    for number in range(len(parts) - 1, -1, -1):
        if parts[number] in _PACKAGES:
            return str(PurePath(*parts[number + 1 :]))
    return short_path(file) if os.path.isabs(file) else file
