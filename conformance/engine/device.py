"""torch.device: where a tensor's memory is; this engine has the CPU."""

from __future__ import annotations

from typing import Any

from . import pickling


class device:
    """A kind of device, and which one of them."""

    __slots__ = ("index", "type")
    __module__ = "torch"

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index  # type: ignore[has-type]
        name, _, number = str(type).partition(":")
        self.type, self.index = name, int(number) if number else index

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + (f", index={self.index})" if self.index is not None else ")")

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> Any:
        return pickling.rebuild, (pickling.place(device), self.type, self.index)


CPU = device("cpu")
