"""Every scenario starts from the same global state, and leaves none behind."""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

_KEEP = object()  # starts as it is, and is put back

_SETTINGS: tuple[tuple[str, str, Any], ...] = (
    ("is_grad_enabled", "set_grad_enabled", True),
    ("get_default_dtype", "set_default_dtype", "float32"),
    ("is_warn_always_enabled", "set_warn_always", True),  # a once-only warning shows in every scenario
    ("is_anomaly_enabled", "set_anomaly_enabled", False),
    ("get_num_threads", "set_num_threads", _KEEP),
    ("are_deterministic_algorithms_enabled", "use_deterministic_algorithms", _KEEP),
    ("get_float32_matmul_precision", "set_float32_matmul_precision", _KEEP),
    ("_C._is_multithreading_enabled", "_C._set_multithreading_enabled", _KEEP),
    ("_C._is_view_replay_enabled", "_C._set_view_replay_enabled", _KEEP),
)
"""How a setting is read, how it is written, how it starts: torch's names, used where an engine has them."""


def find(namespace: Any, path: str) -> Any:
    """The attribute at a dotted path, or None."""
    for name in path.split("."):
        namespace = getattr(namespace, name, None)
    return namespace


@contextlib.contextmanager
def isolated(torch: Any) -> Iterator[None]:
    """Inside: manual_seed(0), grad mode on, default dtype float32, no filters; outside: all as before."""
    settings = []
    for reading, writing, start in _SETTINGS:
        read, write = find(torch, reading), find(torch, writing)
        if read is not None and write is not None:
            settings.append((read, write, read()))
            if start is not _KEEP:
                _set(read, write, getattr(torch, start) if isinstance(start, str) else start)
    try:
        _seed(torch)
        _default_printing(torch)
        yield
    finally:
        with contextlib.suppress(Exception):
            _leave_modes(torch)
        for read, write, before in settings:
            with contextlib.suppress(Exception):
                _set(read, write, before)


def _set(read: Callable[[], Any], write: Callable[[Any], Any], value: Any) -> None:
    if read() != value:
        write(value)


def _seed(torch: Any) -> None:
    # torch.manual_seed also queues a call for each absent accelerator, with its stack: 0.3 ms, and it grows
    generator = getattr(torch, "default_generator", None)
    seed = getattr(generator, "manual_seed", None) or getattr(torch, "manual_seed", None)
    if seed is not None:
        seed(0)


def _default_printing(torch: Any) -> None:
    set_printoptions = getattr(torch, "set_printoptions", None)
    if set_printoptions is not None:
        set_printoptions(profile="default")


def _leave_modes(torch: Any) -> None:
    """What a forgotten `with` left on: hooks for saved tensors, inference mode."""
    top = find(torch, "_C._autograd._top_saved_tensors_default_hooks")
    pop = find(torch, "_C._autograd._pop_saved_tensors_default_hooks")
    while top is not None and pop is not None and top(True) is not None:
        pop()
    inference = getattr(torch, "is_inference_mode_enabled", None)
    if inference is not None and inference():
        torch.inference_mode(False).__enter__()


@contextlib.contextmanager
def warnings_recorded() -> Iterator[list[warnings.WarningMessage]]:
    """All warnings, whatever the filters of the process are."""
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        yield log


class TimeLimit(BaseException):
    """The program ran for too long. Not an Exception: programs and engines catch those."""


class Alarm:
    """Raises TimeLimit in the main thread after some seconds, and again until `stop` for who swallows it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.expired = False
        self._armed = False
        self._before: Any = None

    def start(self) -> None:
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            return
        self._handler = signal.signal(signal.SIGALRM, self._ring)
        self._armed = True
        self._since = time.monotonic()
        self._before = signal.setitimer(signal.ITIMER_REAL, self.seconds, 0.2)

    def check(self) -> None:
        """For between statements: an alarm that was swallowed."""
        if self.expired and self._armed:
            raise TimeLimit

    def stop(self) -> None:
        self._armed = False
        if self._before is None:
            return
        remaining, interval = self._before
        self._before = None
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._handler)
        if remaining:  # another's alarm goes on
            passed = time.monotonic() - self._since
            signal.setitimer(signal.ITIMER_REAL, max(remaining - passed, 0.001), interval)

    def _ring(self, signum: int, frame: FrameType | None) -> None:
        self.expired = True
        if self._armed:
            raise TimeLimit


def collect() -> None:
    """Drop what only cycles keep alive."""
    gc.collect()
