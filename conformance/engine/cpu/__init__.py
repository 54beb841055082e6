"""torch.cpu: the device interface (streams, events, device count) for the CPU, where operations are synchronous."""

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
    """The CPU's only stream, on which everything is synchronous."""

    __module__ = "torch.cpu"

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        """Does nothing: the CPU is synchronous."""

    def record_event(self) -> None:
        """Does nothing: the CPU is synchronous."""

    def wait_event(self, event: Any) -> None:
        """Does nothing: the CPU is synchronous."""


class Event:
    """An event in a stream, which is always complete."""

    __module__ = "torch.cpu"

    def query(self) -> bool:
        """Whether the event is complete: always."""
        return True

    def record(self, stream: Any = None) -> None:
        """Does nothing: the CPU is synchronous."""

    def synchronize(self) -> None:
        """Does nothing: the CPU is synchronous."""

    def wait(self, stream: Any = None) -> None:
        """Does nothing: the CPU is synchronous."""


_current = _default = Stream()


class StreamContext:
    """A context in which a stream is current."""

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
    """A context in which this stream is current."""
    return StreamContext(stream)


def current_stream(device: Any = None) -> Stream:
    """The current stream."""
    return _current


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """One device."""
    return 1


def current_device() -> str:
    """The name of the CPU."""
    return "cpu"


def set_device(device: Any) -> None:
    """Does nothing: there is no other device."""


def synchronize(device: Any = None) -> None:
    """Does nothing: the CPU is synchronous."""


_look_up = look_up("torch.cpu")


def __getattr__(name: str) -> Any:
    return import_module(f"{__name__}.{name}") if name == "amp" else _look_up(name)
