"""pytorch-mini: arrays with the methods that its ``Tensor`` has; it claims only values.

It has no ``requires_grad``: every tensor has a gradient, of zeros before any pass.
"""

from __future__ import annotations

from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from minitorch import nn, optim
from minitorch.tensor import Tensor

from conformance.adapters.module import ModuleEngine

Tensor.tolist = lambda self: self.data.tolist()
Tensor.shape = property(lambda self: self.data.shape)
Tensor.dtype = property(lambda self: self.data.dtype)


def tensor(data: Any, requires_grad: bool = False) -> Any:
    """A tensor, which always has a gradient."""
    if not requires_grad:
        raise NotImplementedError("tensors that require no grad")
    return Tensor(data)


_FUNCTIONS = ("exp", "log", "relu", "tanh", "flatten", "sum", "argmax", "eq")
torch: Any = SimpleNamespace(
    Tensor=Tensor, tensor=tensor, nn=nn, optim=optim, **{name: getattr(Tensor, name) for name in _FUNCTIONS}
)
torch.grads_start_as_zeros = True
engine = ModuleEngine("pytorch-mini", torch, version=version("pytorch-mini"), claims=("values",))
