"""Limits of time and of memory.

The first is by signal: a thread that waits could only end the whole process. The second is the system's own, so that
an allocation fails where it is asked for, and the process is not killed with all that it has found.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

MEMORY = 4 << 30
"""Bytes that a scenario may take beyond what the process has."""

AGAIN = 0.2
"""Seconds until it rings again, for a program or an engine that swallows what it raises."""

PATIENCE = 10
"""How many times longer an import may take: a module that is half imported stays broken for all that comes after it."""


class TimeLimit(BaseException):
    """The program ran for too long. Not an Exception: programs and engines catch those."""


class Alarm:
    """Raises TimeLimit after some seconds, and again until `stop`. In the main thread; elsewhere never."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._expired = False
        self._armed = False
        self._started = 0.0
        self._before: tuple[Any, tuple[float, float], float] | None = None

    def start(self) -> None:
        """From here on."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            return
        handler = signal.signal(signal.SIGALRM, self._ring)
        self._armed = True
        self._started = time.monotonic()
        timer = signal.setitimer(signal.ITIMER_REAL, self._seconds, AGAIN)
        self._before = handler, timer, self._started

    def check(self) -> None:
        """Between two statements: whether it rang and was swallowed."""
        if self._expired and self._armed:
            raise TimeLimit

    def stop(self) -> None:
        """Never after this; another's alarm goes on as it was."""
        self._armed = False
        if self._before is None:
            return
        handler, (remaining, interval), since = self._before
        self._before = None
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if remaining:
            left = remaining - (time.monotonic() - since)
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), interval)

    def _ring(self, signum: int, frame: FrameType | None) -> None:
        if time.monotonic() - self._started < PATIENCE * self._seconds and _is_importing(frame):
            return
        self._expired = True
        if self._armed:
            raise TimeLimit


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def bounded_memory() -> Iterator[None]:
    """Inside, what asks for more than `MEMORY` gets MemoryError; without limit where the system has none."""
    try:
        import resource

        with open("/proc/self/statm", "rb", buffering=0) as status:
            pages = int(status.read(64).split()[0])
        before, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = pages * resource.getpagesize() + MEMORY
    except (ImportError, OSError):
        yield
        return
    bounds = [bound for bound in (limit, before, most) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(bounds), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, most))
