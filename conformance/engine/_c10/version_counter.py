"""Version counters, which detect in-place changes of saved tensors (torch: c10/core/TensorImpl.h, VariableVersion)."""

from __future__ import annotations

from .errors import INFERENCE_VERSION


class VersionCounter:
    """Counts in-place changes; shared by a tensor, its views and what detach() returns.

    A tensor without a counter has version 0 and has never been shared.
    """

    __slots__ = ("value",)
    value: int


class _NoVersions(VersionCounter):
    """The counter that an inference tensor keeps when its data becomes a normal tensor's: reading it raises."""

    __slots__ = ()

    @property
    def value(self) -> int:  # type: ignore[override]
        raise RuntimeError(INFERENCE_VERSION)


NO_VERSIONS = _NoVersions()


def counter_at(value: int) -> VersionCounter:
    """A new counter. This is twice as fast as an ``__init__``, and many gradients get a counter."""
    counter = VersionCounter()
    counter.value = value
    return counter
