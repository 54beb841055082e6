"""Parameters and buffers: tensors that a module registers when they are assigned (torch: nn/parameter.py)."""

from __future__ import annotations

from typing import Any

from .. import errors
from ..tensor import Tensor, make
from ..text import tensor_text


class Parameter(Tensor):
    """A leaf that requires grad, and that a Module registers when it is assigned to one."""

    __module__ = "torch.nn.parameter"

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            from ..creation import empty

            data = empty(0)
        source = data.detach()
        if requires_grad and source._array.dtype.kind != "f":
            raise errors.no_gradient(source._array.dtype.kind, errors.REQUIRES_GRAD_DTYPE_NEW)
        parameter = make(source._array, cls)
        parameter._version_counter = source._version_counter
        parameter._requires_grad = requires_grad
        return parameter

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        copy = type(self)(make(self._array.copy("K")), self.requires_grad)
        memo[id(self)] = copy  # unlike a tensor's copy, it has no grad
        return copy

    def __repr__(self) -> str:
        return "Parameter containing:\n" + tensor_text(self)


class Buffer(Tensor):
    """A tensor that a Module registers as a buffer when it is assigned to one."""

    persistent: bool

    __module__ = "torch.nn.parameter"

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        buffer: Any = make(data.detach()._array, cls)
        buffer.persistent = persistent
        return buffer
