"""The input metadata of nodes: shape and dtype (torch: autograd/input_metadata.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from .dtypes import BY_NUMPY, FULL_PRECISION
from .shapes import steps_in_order

if TYPE_CHECKING:
    from .._autograd.tensor import Tensor

# Shape and dtype of a gradient that a node takes; the dtype is None for a leaf with a grad_dtype.
InputMetadata: TypeAlias = "tuple[tuple[int, ...], np.dtype[Any] | None]"
# The metadata that a tensor shares with others, or False; see Note [Shared metadata].
SharedMetadata: TypeAlias = "tuple[InputMetadata] | Literal[False]"
_MOST = 10_000  # the size of the caches


class ComplexOutputError(Exception):
    """Raised for a complex output, and caught where a node is recorded; see Note [Complex gradients]."""


class _MetadataCache(dict[InputMetadata, "tuple[InputMetadata]"]):
    """The input metadata of nodes with one output, by shape and dtype: one tuple object for each."""

    def __missing__(self, key: InputMetadata) -> tuple[InputMetadata]:
        """Create the metadata."""
        if key[1] is not None and key[1].kind not in "fV":
            if key[1].kind == "c":
                raise ComplexOutputError
            raise RuntimeError(f"Autograd not support dtype: {BY_NUMPY[key[1]].legacy}")
        if len(self) >= _MOST:
            self.clear()
        return self.setdefault(key, (key,))


known_metadata = _MetadataCache()


class _SharedMetadataCache(dict[Any, SharedMetadata]):
    """The shared metadata, or False, by shape, strides and dtype."""

    def __missing__(self, key: tuple[tuple[int, ...], tuple[int, ...], np.dtype[Any]]) -> SharedMetadata:
        shape, steps, kind = key
        if len(self) >= _MOST:
            self.clear()
        plain = kind in FULL_PRECISION and 0 not in (len(shape), *shape)
        in_order = plain and steps == steps_in_order(shape, kind.itemsize)
        return self.setdefault(key, known_metadata[shape, kind] if in_order else False)


_shared_metadata_cache = _SharedMetadataCache()


def find_shared_metadata(tensor: Tensor) -> SharedMetadata:
    """Find the shared metadata of a tensor and store it in ``_shared_metadata``.

    Note [Shared metadata]: most operands of an operation have the same shape, are contiguous, and have dtype float32 or float64.
    Then the result has the same properties, and no checks are needed. So all such tensors of one shape and dtype share one
    metadata object in ``_shared_metadata``, which operations compare by ``is``. It is False for other tensors, and None
    as long as it is unknown; code that replaces the array of a tensor resets it to None.
    """
    array = tensor._array
    found: SharedMetadata = False
    if array.__class__ is np.ndarray:
        found = _shared_metadata_cache[array.shape, array.strides, array.dtype]
    tensor._shared_metadata = found
    return found
