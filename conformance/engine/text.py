"""What stands in a tensor's repr beside its elements."""

from __future__ import annotations

from . import dtypes, printing
from .tensor import Tensor


def tensor_text(tensor: Tensor) -> str:
    """The tensor's repr."""
    name = type(tensor).__name__
    return printing.tensor_text(
        tensor._array,
        default=dtypes.default.numpy,
        suffixes=_suffixes(tensor),
        name="tensor" if name in ("Tensor", "Parameter") else name,
    )


def _suffixes(tensor: Tensor) -> list[str]:
    try:
        node = tensor.grad_fn
    except RuntimeError:
        return ["grad_fn=<Invalid>"]
    if node is not None:
        return [f"grad_fn=<{type(node).__name__}>"]
    return ["requires_grad=True"] if tensor.requires_grad else []
