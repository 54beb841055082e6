"""How a tensor prints (torch: _tensor_str.py)."""

from __future__ import annotations

from .tensor import Tensor


def tensor_text(tensor: Tensor) -> str:
    """The tensor's repr."""
    return f"tensor({tensor._array.tolist()})"
