"""Limits of time and of memory.

The time limit uses a signal, since a waiting thread could only end the whole process. The memory limit is the system's
own, so that an allocation raises MemoryError instead of the process being killed.

Note [What swallows all]: an engine that continues after every error, as in ``while True: try: ... except: pass``, would
run forever. But an error that is raised often enough is also raised outside the ``try``, where nothing catches it, for
example while the previous one is handled. At ten thousand signals a second that takes less than a second.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

from conformance.runner.signals import ENDING, Ended

MEMORY = 4 << 30
"""Bytes that a scenario may allocate on top of the process's memory."""

AGAIN = 0.2
"""Seconds until the alarm rings again, for programs and engines that swallow its error."""

OFTEN = 10
"""Rings that may be swallowed before it rings rapidly: see Note [What swallows all]."""

RAPIDLY = 0.0001
"""Seconds between two rapid rings."""

PATIENCE = 10
"""How many times longer an import may take, since a half imported module breaks all later scenarios."""

_OWN = f"{__name__.rpartition('.')[0]}."


GRACE = 30
"""Processor seconds beyond twice the time limit, after which the system ends an expendable process."""

_expendable: list[bool] = []

_running: list[Alarm] = []


def start_again() -> None:
    """Start the time of the running scenario again, for something that has a limit of its own, as a compilation."""
    for alarm in _running[-1:]:
        alarm.start_again()


def be_expendable() -> None:
    """From now on the system ends this process if a program hangs in C, where no alarm reaches it."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        _expendable.append(True)


@contextlib.contextmanager
def watched(seconds: float) -> Iterator[None]:
    """Inside, that may happen after these seconds and `GRACE`."""
    if not _expendable:
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, 2 * seconds + GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


class TimeLimit(BaseException):
    """The program ran for too long. Not an Exception, since programs and engines catch those."""


class Alarm:
    """Raises TimeLimit after some seconds, repeatedly until `stop`; only in the main thread."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._expired = False
        self._armed = False
        self._rings = 0
        self._started = 0.0
        self._before: tuple[Any, tuple[float, float], float] | None = None

    def start(self) -> None:
        """Start the time."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            return
        handler = signal.signal(signal.SIGALRM, self._ring)
        self._armed = True
        self._started = time.monotonic()
        timer = signal.setitimer(signal.ITIMER_REAL, self._seconds, AGAIN)
        self._before = handler, timer, self._started
        _running.append(self)

    def start_again(self) -> None:
        """Have as much time as at the start."""
        if self._armed and not self._expired:
            self._started = time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, self._seconds, AGAIN)
            if _expendable:
                signal.setitimer(signal.ITIMER_PROF, 2 * self._seconds + GRACE)

    def check(self) -> None:
        """Raise TimeLimit again between two statements, if the program swallowed it."""
        if self._expired and self._armed:
            raise TimeLimit

    def stop(self) -> None:
        """Stop the alarm and restore an alarm that was set before."""
        self._armed = False
        if self._before is None:
            return
        _running.remove(self)
        handler, (remaining, interval), since = self._before
        self._before = None
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if remaining:
            left = remaining - (time.monotonic() - since)
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), interval)

    def _ring(self, signum: int, frame: FrameType | None) -> None:
        if self._rings >= OFTEN and (frame is None or str(frame.f_globals.get("__name__")).startswith(_OWN)):
            return  # the error is propagating already, or `check` raises it
        if time.monotonic() - self._started < PATIENCE * self._seconds and _is_importing(frame):
            return
        self._expired = True
        if self._armed:
            self._rings += 1
            if self._rings == OFTEN:
                signal.setitimer(signal.ITIMER_REAL, RAPIDLY, RAPIDLY)
            raise TimeLimit


class Interrupts:
    """Records real interrupts, since an engine may raise KeyboardInterrupt by itself, or swallow it."""

    def __init__(self) -> None:
        self.came = 0  # the number of the signal
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, *ENDING):
                before = signal.getsignal(number)
                if callable(before):
                    self._before[number] = before
                    signal.signal(number, self._record)
        return self

    def __exit__(self, *raised: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def check(self) -> None:
        """Raise KeyboardInterrupt between two statements, if the program swallowed it."""
        if self.came in ENDING:
            raise Ended(self.came)
        if self.came:
            raise KeyboardInterrupt

    def _record(self, signum: int, frame: FrameType | None) -> Any:
        self.came = signum
        return self._before[signum](signum, frame)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def bounded_memory() -> Iterator[None]:
    """Inside, allocating more than `MEMORY` raises MemoryError, if the system has such a limit."""
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
