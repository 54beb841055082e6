"""The repr of a tensor: what it shows besides the elements."""

from __future__ import annotations

from collections.abc import Callable

from .._autograd.forward_grad import tangent_of
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.interpreter_stack import transforms
from .._c10.layout import Unstrided
from .._c10.number_format import (
    tensor_text as text_of_array,  # importing it from the package would import torch.nn
)
from .._c10.slots import on_first_use

# See Note [Slots].
wrapped_text: Callable[..., str | None] = on_first_use("wrapped_text")
text_of_sparse: Callable[..., str] = on_first_use("sparse_text")


def tensor_text(tensor: Tensor) -> str:
    """The repr of a tensor."""
    if transforms.depth:
        result = wrapped_text(tensor, _plain_text)
        if result is not None:
            return result
    return _plain_text(tensor, _suffixes(tensor))


def _plain_text(tensor: Tensor, suffixes: list[str]) -> str:
    name = type(tensor).__name__
    text: Callable[..., str] = text_of_array
    if isinstance(tensor._array, Unstrided):
        text = text_of_sparse
    name = "tensor" if name in ("Tensor", "Parameter") else name
    return text(tensor._array, default=dtypes.default.numpy, suffixes=suffixes, name=name)


def _suffixes(tensor: Tensor) -> list[str]:
    result = _place(tensor)
    if tensor._tangents and (tangent := tangent_of(tensor, max(tensor._tangents))) is not None:
        result.append(f"tangent={tangent}")
    return result


def _place(tensor: Tensor) -> list[str]:
    try:
        node = tensor.grad_fn
    except RuntimeError:
        return ["grad_fn=<Invalid>"]
    if node is not None:
        name = type(node).__name__
        return [f"grad_fn=<{node.name().rpartition('::')[2] if name == 'CppFunction' else name}>"]
    return ["requires_grad=True"] if tensor.requires_grad else []
