"""Signals that ask a process to end, as exceptions, so that it can write what it has."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Ended(KeyboardInterrupt):
    """A signal asked this process to end; ``status`` is the exit status of a shell then."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number


ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that end a process by default, sent by a time-out and by a terminal that is closed."""


@contextmanager
def ended_by_exception() -> Iterator[None]:
    """Inside, those signals raise `Ended`, unless they are ignored or handled; only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [each for each in ENDING if signal.getsignal(each) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, _raise)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def reason(error: BaseException) -> str:
    """Why a run did not reach its end, in a few words."""
    if isinstance(error, KeyboardInterrupt):
        return str(error) or "SIGINT"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _raise(number: int, frame: FrameType | None) -> None:
    raise Ended(number)
