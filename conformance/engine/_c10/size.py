"""torch.Size: the shape of a tensor."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from . import pickling


def _whole(sizes: tuple[Any, ...]) -> Iterator[int]:
    """The sizes as ints."""
    for place, each in enumerate(sizes):
        try:
            yield operator.index(each)
        except TypeError:
            kind = type(each).__name__
            raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{kind}')") from None


class Size(tuple[int, ...]):
    """torch.Size: a tuple of ints with ``numel``."""

    __slots__ = ()
    __module__ = "torch"

    def __new__(cls, sizes: Any = ()) -> Self:
        """Create a Size from ints, or objects with ``__index__``.

        Raises:
            TypeError: an element of another type.
        """
        made = super().__new__(cls, sizes)
        if any(each.__class__ is not int for each in made):
            return super().__new__(cls, _whole(tuple(made)))
        return made

    def numel(self) -> int:
        """The number of elements of a tensor with this shape."""
        return int(np.prod(self, dtype=np.int64))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            kind = type(other).__name__
            raise TypeError(f"can only concatenate tuple (not {kind}) to torch.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return pickling.rebuild, (pickling.place(Size), tuple(self))
