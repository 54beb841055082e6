"""torch.autograd.variable: Variable, the deprecated name of Tensor."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .._autograd.tensor import Tensor
from .._c10 import errors
from .._c10.modes import state

__all__ = ["Variable"]


class ImperativeEngine:
    """torch._C._EngineBase: access to the running backward pass."""

    def queue_callback(self, callback: Callable[[], Any]) -> None:
        """Run a function at the end of the backward pass.

        Raises:
            RuntimeError: no backward pass is running.
        """
        if state.graph_task is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        state.graph_task.callbacks.append(callback)

    def is_checkpoint_valid(self) -> bool:
        """Whether backward runs without ``inputs``, as reentrant checkpoints require."""
        return state.checkpoint_valid


class VariableMeta(type):
    """Makes every tensor an instance of Variable."""

    __module__ = "torch.autograd.variable"

    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=VariableMeta):
    """torch.autograd.Variable: a tensor that shares the data of another."""

    __module__ = "torch.autograd.variable"
    _execution_engine = ImperativeEngine()

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Any:
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if volatile:
            warnings.warn(errors.VOLATILE, stacklevel=2)
        return data.detach().requires_grad_(requires_grad)
