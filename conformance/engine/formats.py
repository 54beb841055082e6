"""torch.layout and torch.memory_format: how elements lie in memory. This engine has strided tensors only."""

from __future__ import annotations

from typing import Any

import numpy as np


class layout:
    """Whether a tensor stores all its elements (``torch.strided``)."""

    __slots__ = ("_name",)
    __module__ = "torch"

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> Any:
        return by_name, (self._name,)


class memory_format(layout):
    """In which order elements lie."""

    __slots__ = ()
    __module__ = "torch"


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")


def by_name(name: str) -> layout:
    """The layout or memory format of a name, of which there is one."""
    formats = (strided, contiguous_format, preserve_format, channels_last)
    return next(each for each in formats if each._name == name)


def lies_so(array: np.ndarray[Any, Any], wanted: Any) -> bool:
    """Whether the elements lie in memory in the order of a format."""
    if wanted is not channels_last:
        return bool(array.flags.c_contiguous)
    return array.ndim == 4 and bool(array.transpose(0, 2, 3, 1).flags.c_contiguous)


def laid_out(array: np.ndarray[Any, Any], wanted: Any) -> np.ndarray[Any, Any]:
    """A copy whose elements lie in the order of a format; as they lie now where none is wanted.

    Raises:
        RuntimeError: channels_last for anything but four dimensions.
    """
    if wanted is channels_last:
        if array.ndim != 4:
            raise RuntimeError("required rank 4 tensor to use channels_last format")
        return array.transpose(0, 2, 3, 1).copy("C").transpose(0, 3, 1, 2)
    if wanted is contiguous_format or array.flags.c_contiguous or 0 in array.strides:
        return array.copy("C")
    return array.copy("K")  # which would put repeated dimensions, of stride 0, last
