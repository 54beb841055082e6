"""Where an engine raised an error: its own frames as text."""

from __future__ import annotations

import linecache
import os
from collections.abc import Sequence
from pathlib import PurePath

from conformance.runner.trace import Frame, Statement, Trace
from conformance.runner.verdict import Outcome

_PACKAGES = ("site-packages", "dist-packages")


def raised_in(outcome: Outcome, trace: Trace) -> str:
    """The engine's frames of the error that decides an outcome; empty if no error does, or it was raised elsewhere."""
    first = next((each for each in outcome.differences if each.facet in ("raised", "message")), None)
    if first is not None and first is not outcome.differences[0]:
        first = None
    place: Statement | None = first.statement if first else outcome.lacking
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
    relative = os.path.relpath(file) if os.path.isabs(file) else file
    return file if relative.startswith(os.path.join("..", "..")) else relative
