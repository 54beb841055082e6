"""How in-place changes are noticed (torch: c10/core/TensorImpl.h, VariableVersion)."""

from __future__ import annotations


class VersionCounter:
    """Counts in-place changes; shared by a tensor, its views and what detach() returns.

    A tensor without a counter has version 0 and has never been shared.
    """

    __slots__ = ("value",)

    def __init__(self, value: int = 0) -> None:
        self.value = value
