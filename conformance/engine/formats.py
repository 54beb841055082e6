"""torch.layout and torch.memory_format: how elements lie in memory. This engine has strided tensors only."""

from __future__ import annotations


class layout:
    """Whether a tensor stores all its elements (``torch.strided``)."""

    __slots__ = ("_name",)
    __module__ = "torch"

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


class memory_format(layout):
    """In which order elements lie."""

    __slots__ = ()
    __module__ = "torch"


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
