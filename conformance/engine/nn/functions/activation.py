"""Activations with their in-place forms, as torch.nn.functional has them."""

from __future__ import annotations

from ...ops import activation as ops
from ...tensor import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:  # noqa: A002
    """The positive part."""
    return input.relu_() if inplace else ops.relu(input)  # type: ignore[no-any-return]
