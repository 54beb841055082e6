"""torch.autograd._functions: operations that torch writes as Functions (torch: autograd/_functions/tensor.py)."""

from __future__ import annotations

import math
from typing import Any

from .._autograd.custom_function import Function
from .._autograd.tensor import Tensor


class Resize(Function):
    """A tensor in another shape with the same number of elements."""

    __module__ = "torch.autograd._functions.tensor"

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, sizes: Any) -> Tensor:
        """The tensor in another shape.

        Raises:
            RuntimeError: the number of elements differs.
        """
        ctx.sizes, ctx.numel, ctx.input_sizes = sizes, math.prod(sizes), tensor.size()
        if tensor.numel() != ctx.numel:
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({ctx.numel} elements in total), but the given "
                f"tensor has a size of {'x'.join(map(str, tensor.size()))} ({tensor.numel()} elements). autograd's "
                "resize can only change the shape of a given tensor, while preserving the number of elements. "
            )
        if tensor.is_contiguous():
            return tensor.new(tensor).contiguous().view(*sizes)
        return tensor.contiguous().view(*sizes)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, None]:
        """The gradient in the original shape."""
        return grad_output.contiguous().view(ctx.input_sizes), None
