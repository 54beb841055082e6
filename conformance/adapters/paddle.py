"""PaddlePaddle, whose dynamic graph has most of torch's names by itself.

It cannot be asked whether a tensor retains its gradient, nor for output numbers and bases; and its errors are of
types of its own (SystemError for a graph that was freed). So values alone are claimed.
"""

from __future__ import annotations

from typing import Any

import paddle

from conformance.adapters.module import ModuleEngine

_backward = paddle.Tensor.backward


def backward(tensor: Any, gradient: Any = None, retain_graph: bool | None = None) -> None:
    """Paddle's own pass, which has another name for the gradient."""
    _backward(tensor, gradient, bool(retain_graph))


def _undeletable(tensor: Any, name: str) -> None:
    raise NotImplementedError(f"del Tensor.{name}")  # paddle 3.3.1 ends the process


paddle.Tensor.backward = backward
paddle.Tensor.__delattr__ = _undeletable
paddle.Tensor.retain_grad = paddle.Tensor.retain_grads
engine = ModuleEngine("paddle", paddle, version=paddle.__version__, claims=("values",))
