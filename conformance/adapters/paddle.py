"""PaddlePaddle, whose dynamic graph has most of torch's names by itself.

It cannot be asked whether a tensor retains its gradient, nor for output numbers and bases: neither flags nor the
graph are claimed.
"""

from __future__ import annotations

from typing import Any

import paddle

from conformance.adapters.module import ModuleEngine


def _undeletable(tensor: Any, name: str) -> None:
    raise NotImplementedError(f"del Tensor.{name}")  # paddle 3.3.1 ends the process


paddle.Tensor.__delattr__ = _undeletable
paddle.Tensor.retain_grad = paddle.Tensor.retain_grads
engine = ModuleEngine("paddle", paddle, version=paddle.__version__, claims=("values", "errors"))
