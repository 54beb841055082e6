"""Where a program was when its process crashed or had to be ended.

Note [Last words]: a process that crashes in C, or hangs there, runs no Python any more. Python's `faulthandler` writes
the lines that are being executed to a file all the same, at a crash and at the signal SIGABRT. The number of the step,
which these lines do not have, is written to the beginning of that file, with the line of the statement that is about to
run: a process that is killed, or that an engine ends, writes nothing else.
"""

from __future__ import annotations

import contextlib
import faulthandler
import mmap
import re
from pathlib import Path
from typing import NamedTuple

from conformance.runner.normalize import PROGRAM

_HEAD = 16  # bytes for the number of the step and the line
_LINE = re.compile(rf'File "{PROGRAM}", line (\d+) in <module>')
_ERROR = re.compile(r"Fatal Python error: (.+)")


class LastPlace(NamedTuple):
    """A step, and a line of it, counted from 1; and the system's name for the crash, if there was one."""

    step: int = 0
    line: int = 1
    error: str = ""


class LastWords:
    """Writes them, in the process that may crash."""

    def __init__(self, path: str) -> None:
        with contextlib.suppress(ImportError, ValueError):
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # nobody reads core dumps of programs that hang
        self._file = open(path, "r+b", buffering=0)  # noqa: SIM115  as long as the process lives
        self._file.write(b"%16s" % b"")
        self._head = mmap.mmap(self._file.fileno(), _HEAD)  # stays if the process is killed
        faulthandler.enable(self._file)

    def at_step(self, step: int, line: int) -> None:
        """A statement is about to run."""
        self._head[:] = b"%8d%8d" % (step, line)


def read(path: Path) -> LastPlace:
    """What the process wrote."""
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return LastPlace()
    step, line = text[: _HEAD // 2].strip(), text[_HEAD // 2 : _HEAD].strip()
    lines, error = _LINE.findall(text), _ERROR.search(text)
    return LastPlace(
        int(step) if step.isdigit() else 0,
        int(lines[-1]) if lines else int(line) if line.isdigit() else 1,
        error[1] if error else "",
    )
