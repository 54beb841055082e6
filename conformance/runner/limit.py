"""Limits of time and of memory.

The first is by signal: a thread that waits could only end the whole process. The second is the system's own, so that
an allocation fails where it is asked for, and the process is not killed with all that it has found.

Note [What swallows all]: an engine that goes on after every error, as ``while True: try: ... except: pass`` does, would
go on for ever. But what is raised often enough is raised outside of the ``try`` too, where nothing catches it: while
the one before is being caught, within a second at ten thousand a second.
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

OFTEN = 10
"""Times that it may be swallowed. From there on it rings without end: see Note [What swallows all]."""

RAPIDLY = 0.0001
"""Seconds between two rings then."""

PATIENCE = 10
"""How many times longer an import may take: a module that is half imported stays broken for all that comes after it."""

_OWN = f"{__name__.rpartition('.')[0]}."


class TimeLimit(BaseException):
    """The program ran for too long. Not an Exception: programs and engines catch those."""


class Alarm:
    """Raises TimeLimit after some seconds, and again until `stop`. In the main thread; elsewhere never."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._expired = False
        self._armed = False
        self._rings = 0
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
        if self._rings >= OFTEN and (frame is None or str(frame.f_globals.get("__name__")).startswith(_OWN)):
            return  # what was raised is on its way, or `check` raises it
        if time.monotonic() - self._started < PATIENCE * self._seconds and _is_importing(frame):
            return
        self._expired = True
        if self._armed:
            self._rings += 1
            if self._rings == OFTEN:
                signal.setitimer(signal.ITIMER_REAL, RAPIDLY, RAPIDLY)
            raise TimeLimit


class Interrupts:
    """Inside, whether somebody interrupts: a KeyboardInterrupt without that is what an engine raises of its own."""

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        before = signal.getsignal(signal.SIGINT)
        if callable(before) and threading.current_thread() is threading.main_thread():
            self._before = before
            signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *raised: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def check(self) -> None:
        """Between two statements: whether one came and was swallowed."""
        if self.came:
            raise KeyboardInterrupt

    def _hear(self, signum: int, frame: FrameType | None) -> Any:
        self.came = True
        return self._before(signum, frame)


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
