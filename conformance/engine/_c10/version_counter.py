"""How in-place changes are noticed (torch: c10/core/TensorImpl.h, VariableVersion)."""

from __future__ import annotations


class VersionCounter:
    """Counts in-place changes; shared by a tensor, its views and what detach() returns.

    A tensor without a counter has version 0 and has never been shared.
    """

    __slots__ = ("value",)
    value: int


def counter_at(value: int) -> VersionCounter:
    """A new counter; a class without an ``__init__`` is called in half the time, and many gradients get one."""
    counter = VersionCounter()
    counter.value = value
    return counter
