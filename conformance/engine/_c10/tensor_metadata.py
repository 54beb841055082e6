"""Shape and dtype of what flows between nodes, one object for all that are alike (torch: autograd/input_metadata.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from .dtypes import BY_NUMPY, FULL_PRECISION
from .shapes import steps_in_order

if TYPE_CHECKING:
    from .._autograd.tensor import Tensor

# What a node knows of a gradient it receives: shape and dtype (None: a leaf that takes any).
InputMetadata: TypeAlias = "tuple[tuple[int, ...], np.dtype[Any] | None]"
# That of a node of one output, if tensors like this one may share it.
SharedMetadata: TypeAlias = "tuple[InputMetadata] | Literal[False]"
_MOST = 10_000  # kinds of tensors that are remembered


class ComplexOutputError(Exception):
    """Tells the code that records a node that its output is complex."""


class _MetadataCache(dict[InputMetadata, "tuple[InputMetadata]"]):
    """The metadata of a node of one output, by shape and dtype: one tuple for all that are alike."""

    def __missing__(self, key: InputMetadata) -> tuple[InputMetadata]:
        """What is not known yet.

        Raises:
            ComplexOutputError: of complex numbers; see Note [Complex gradients].
            RuntimeError: of integers and bools, which have no gradient.
        """
        if key[1] is not None and key[1].kind not in "fV":
            if key[1].kind == "c":
                raise ComplexOutputError
            raise RuntimeError(f"Autograd not support dtype: {BY_NUMPY[key[1]].legacy}")
        if len(self) >= _MOST:
            self.clear()
        return self.setdefault(key, (key,))


known_metadata = _MetadataCache()


class _SharedMetadataCache(dict[Any, SharedMetadata]):
    """Whether tensors may be alike, by shape, strides and dtype."""

    def __missing__(self, key: tuple[tuple[int, ...], tuple[int, ...], np.dtype[Any]]) -> SharedMetadata:
        shape, steps, kind = key
        if len(self) >= _MOST:
            self.clear()
        plain = kind in FULL_PRECISION and 0 not in (len(shape), *shape)
        in_order = plain and steps == steps_in_order(shape, kind.itemsize)
        return self.setdefault(key, known_metadata[shape, kind] if in_order else False)


_shared_metadata_cache = _SharedMetadataCache()


def find_shared_metadata(tensor: Tensor) -> SharedMetadata:
    """What a tensor shares with those that are alike; and keep it on the tensor.

    Note [Alike operands]: most operands lie in order, have the same shape, and one of the dtypes that Python's numbers
    take as it is. Of these nothing has to be looked at: their sum is like them. So each such tensor has its metadata,
    which is one object for all of them, and operands are compared by ``is``; a tensor that is not such has False, one
    that nobody has looked at None. Who gives a tensor another array makes it None again.
    """
    array = tensor._array
    found: SharedMetadata = False
    if array.__class__ is np.ndarray:
        found = _shared_metadata_cache[array.shape, array.strides, array.dtype]
    tensor._shared_metadata = found
    return found
