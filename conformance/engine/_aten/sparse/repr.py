"""The repr of sparse tensors (torch: _tensor_str.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10 import dtypes, number_format
from .sparse_array import Array, SparseArray


def tensor_text(array: SparseArray, *, default: np.dtype[Any], suffixes: list[str], name: str) -> str:
    """The repr of a tensor with this array; the arguments are those of printing.tensor_text."""
    indent = len(name) + 1
    indices = _part("indices", array.indices, indent)
    values = _part("values", array.values, indent)
    further = [f"size={array.shape}", f"nnz={array.nnz}"]
    kind = dtypes.BY_NUMPY[array.dtype]
    unnamed = [
        default,
        np.dtype(np.complex128 if default == np.float64 else np.complex64),
        np.dtype(np.int64),
        np.dtype(np.bool_),
    ]
    if array.dtype not in unnamed:
        further.append(f"dtype={kind!r}")
    further += ["layout=torch.sparse_coo", *suffixes]
    text = f"{name}({indices},\n{' ' * indent}{values}"
    return number_format.with_suffixes(text, further, indent, on_new_line=True)


def _part(label: str, array: Array, indent: int) -> str:
    start = f"{label}=tensor("
    text = number_format.elements_text(array, indent + len(start))
    size = f", size={array.shape}" if not array.size else ""
    return f"{start}{text}{size})"
