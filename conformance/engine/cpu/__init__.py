"""torch.cpu: what other devices have, of the one that there always is."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .._arguments.absent_names import look_up

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_device",
    "current_stream",
    "device_count",
    "is_available",
    "is_initialized",
    "set_device",
    "stream",
    "synchronize",
]


class Stream:
    """The CPU's order of things."""

    __module__ = "torch.cpu"

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Nothing is to wait for."""

    def record_event(self) -> None:
        """Nothing is to record."""

    def wait_event(self, event: Any) -> None:
        """Nothing is to wait for."""


class Event:
    """A point in a stream, which is passed."""

    __module__ = "torch.cpu"

    def query(self) -> bool:
        """Whether it is passed."""
        return True

    def record(self, stream: Any = None) -> None:
        """Nothing is to record."""

    def synchronize(self) -> None:
        """Nothing is to wait for."""

    def wait(self, stream: Any = None) -> None:
        """Nothing is to wait for."""


_current = _default = Stream()


class StreamContext:
    """Inside, another stream is the current one."""

    __module__ = "torch.cpu"

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        global _current
        if self.stream is not None:
            self._before, _current = _current, self.stream

    def __exit__(self, *error: object) -> None:
        global _current
        if self.stream is not None:
            _current = self._before


def stream(stream: Any) -> StreamContext:
    """A context in which this is the current stream."""
    return StreamContext(stream)


def current_stream(device: Any = None) -> Stream:
    """The stream that is used now."""
    return _current


def is_available() -> bool:
    """Always."""
    return True


def is_initialized() -> bool:
    """Always."""
    return True


def device_count() -> int:
    """One."""
    return 1


def current_device() -> str:
    """The CPU."""
    return "cpu"


def set_device(device: Any) -> None:
    """There is no other."""


def synchronize(device: Any = None) -> None:
    """Nothing is to wait for."""


_look_up = look_up("torch.cpu")


def __getattr__(name: str) -> Any:
    return import_module(f"{__name__}.{name}") if name == "amp" else _look_up(name)
