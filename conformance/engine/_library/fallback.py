"""The autograd fallback of operators without a derivative: a warning in backward (torch: autograd_not_implemented_fallback.cpp)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .._autograd.batched_tensor import flat_values
from .._autograd.node import Gradients, Node, gradient_edge, new_node
from .._autograd.tensor import Tensor
from .._c10.modes import state
from .schema import FunctionSchema


class WarnNotImplemented(Node):
    """The node of an operator without a derivative: backward warns and returns no gradient."""

    __slots__ = ("operator",)
    __module__ = "builtins"
    operator: str

    def name(self) -> str:
        return "torch::autograd::WarnNotImplemented"

    def _apply(self, grads: Gradients) -> Gradients:
        _warn(self.operator)
        return (None,) * len(self.next_functions)


WarnNotImplemented.__name__ = WarnNotImplemented.__qualname__ = (
    "CppFunction"  # torch has no separate class for it
)


def _warn(operator: str) -> None:
    warnings.warn(
        f"{operator}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop through "
        "it. This may lead to silently incorrect behavior. This behavior is deprecated and will be removed in a future "
        "version of PyTorch. If your operator is differentiable, please ensure you have registered an autograd kernel to "
        "the correct Autograd key (e.g. DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your operator "
        "is not differentiable, or to squash this warning and use the previous behavior, please register "
        "torch::CppFunction::makeFallthrough() to DispatchKey::Autograd. (Triggered internally at /__w/pytorch/pytorch/"
        "torch/csrc/autograd/autograd_not_implemented_fallback.cpp:76.)",
        UserWarning,
        stacklevel=2,
    )


def warn_in_backward(
    schema: FunctionSchema, args: tuple[Any, ...], kwargs: dict[str, Any], run: Callable[[], Any]
) -> Any:
    """Run a kernel; backward warns if a gradient reaches its outputs.

    Outputs that it composed of differentiable operations keep their graph.
    """
    tensors = [each for each in flat_values((*args, *kwargs.values())) if isinstance(each, Tensor)]
    if not (state.recording and any(each.requires_grad for each in tensors)):
        return run()
    node: WarnNotImplemented = new_node(WarnNotImplemented)
    node.operator = schema.name
    node.next_edges = tuple(gradient_edge(each) for each in tensors)
    result = run()
    metadata: list[Any] = []
    for each, kind in zip(_results(schema, result), schema.returns, strict=True):
        written = kind.alias_info is not None and kind.alias_info.is_write
        for tensor in flat_values([each]):
            if not isinstance(tensor, Tensor) or tensor._array.dtype.kind not in "fcV":
                continue
            if tensor.requires_grad:
                tensor.register_hook(lambda _: _warn(schema.name))
            elif not written:
                tensor._node, tensor._output_nr, tensor._requires_grad = node, len(metadata), True
                metadata.append((tensor._array.shape, tensor._array.dtype))
    node.input_metadata = tuple(metadata)
    return result


def _results(schema: FunctionSchema, result: Any) -> list[Any]:
    return [result] if len(schema.returns) == 1 else list(result or ())
