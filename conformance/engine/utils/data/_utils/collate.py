"""Collation of samples into batches (torch: utils/data/_utils/collate.py)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ...._aten.creation.from_data import as_tensor, tensor
from ...._aten.operators import FUNCTIONS as OPS
from ...._autograd.tensor import Tensor
from ...._c10 import dtypes
from ...._c10.layout import strided

_REFUSED = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_collate(batch: Any) -> Any:
    """Collate samples: tensors are stacked, numbers become a tensor, sequences and mappings are collated by element.

    Raises:
        RuntimeError: sequences have different lengths.
        TypeError: a type cannot be collated.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        if first.layout is not strided:
            raise RuntimeError(
                "Batches of sparse tensors are not currently supported by the default collate_fn; please provide a custom "
                "collate_fn to handle them appropriately."
            )
        return OPS["stack"](batch, 0)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "USO":
            raise TypeError(_REFUSED.format(first.dtype))
        return default_collate([as_tensor(each) for each in batch])
    if isinstance(first, np.generic):
        return as_tensor(batch)
    if isinstance(first, float):
        return tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _mapping(first, {key: default_collate([each[key] for each in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(parts) for parts in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(each) for each in zip(*batch, strict=True)]
        return parts if isinstance(first, tuple) else _sequence(first, parts)
    raise TypeError(_REFUSED.format(type(first)))


def _mapping(first: Any, parts: dict[Any, Any]) -> Any:
    try:
        if not isinstance(first, MutableMapping):
            return type(first)(parts)
        made = copy.copy(first)
        made.update(parts)
        return made
    except TypeError:
        return parts


def _sequence(first: Any, parts: list[Any]) -> Any:
    try:
        if not isinstance(first, MutableSequence):
            return type(first)(parts)
        made = copy.copy(first)
        for i, part in enumerate(parts):
            made[i] = part
        return made
    except TypeError:
        return parts


def default_convert(data: Any) -> Any:
    """Convert NumPy arrays and numbers inside containers to tensors; other values are unchanged."""
    if isinstance(data, (Tensor, str, bytes)):
        return data
    if isinstance(data, (np.ndarray, np.generic)):
        kind = getattr(data, "dtype", None)
        if isinstance(data, np.ndarray) and kind is not None and kind.kind in "USO":
            return data
        return as_tensor(data)
    if isinstance(data, Mapping):
        return _mapping(data, {key: default_convert(each) for key, each in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(each) for each in data))
    if isinstance(data, tuple):
        return [default_convert(each) for each in data]
    if isinstance(data, Sequence):
        return _sequence(data, [default_convert(each) for each in data])
    return data
