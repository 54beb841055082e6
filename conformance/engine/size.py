"""torch.Size: the shape of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import pickling


class Size(tuple[int, ...]):
    """A shape: a tuple that knows how many elements there are."""

    __slots__ = ()
    __module__ = "torch"

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return int(np.prod(self, dtype=np.int64))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Any:
        return Size(tuple(self) + tuple(other))

    def __reduce__(self) -> Any:
        return pickling.rebuild, (pickling.place(Size), tuple(self))
