"""Parameters and buffers: tensors that a module registers when they are assigned (torch: nn/parameter.py)."""

from __future__ import annotations

from typing import Any

from .. import errors
from ..overrides import disabled_torch_function
from ..tensor import Tensor, make
from ..text import tensor_text


class _ParameterMeta(type):
    """What is of another class, too, is a parameter if it was made one."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False):
            return True
        return super().__instancecheck__(instance)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A leaf that requires grad, and that a Module registers when it is assigned to one."""

    __module__ = "torch.nn.parameter"
    __torch_function__ = disabled_torch_function

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            from ..creation import empty

            data = empty(0)
        source = data.detach()
        if type(data).__torch_function__ is not disabled_torch_function and type(data) is not Tensor:
            return _of_another_class(data, source, requires_grad)
        if requires_grad and source._array.dtype.kind not in "fc":
            raise RuntimeError(errors.REQUIRES_GRAD_DTYPE_NEW)
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


def _of_another_class(data: Any, source: Any, requires_grad: bool) -> Any:
    if type(source) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
            f"instance of the same type, but return type {type(source).__name__} was found instead. To use the type as a "
            "Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
        )
    source.requires_grad_(requires_grad)
    source._is_param = True
    return source


class Buffer(Tensor):
    """A tensor that a Module registers as a buffer when it is assigned to one."""

    persistent: bool

    __module__ = "torch.nn.parameter"
    __torch_function__ = disabled_torch_function

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        buffer: Any = make(data.detach()._array, cls)
        buffer.persistent = persistent
        return buffer
