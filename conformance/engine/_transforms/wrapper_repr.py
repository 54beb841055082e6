"""The repr of tensors inside torch.func transforms: GradTrackingTensor, BatchedTensor (torch: functorch/init.cpp)."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from .._autograd.batched_tensor import BatchedTensor, unwrap_batched, vmaps
from .._autograd.node import AccumulateGrad, Node
from .._autograd.tensor import Tensor
from .grad_levels import StandIn
from .interpreter_nesting import Running, running

Text = Callable[[Tensor, list[str]], str]


def wrapped_text(tensor: Tensor, text: Text) -> str | None:
    """The repr of a tensor that a running transform wraps, or None if none does.

    ``text`` makes the repr of a plain tensor, with a list of suffixes such as "requires_grad=True".
    """
    levels = [each for each in running if _wraps(each, tensor)]
    return _inside(levels, tensor, text) if levels else None


def _wraps(level: Running, tensor: Tensor) -> bool:
    if level.derivative:
        return tensor._age >= level.age
    return tensor.__class__ is BatchedTensor and vmaps[tensor._level].depth >= level.depth


def _inside(levels: Sequence[Running], tensor: Any, text: Text) -> str:
    if not levels:
        return text(tensor, _graph(tensor))
    *outer, level = levels
    if level.derivative:
        return _wrapped(f"GradTrackingTensor(lvl={level.depth}", _inside(outer, tensor, text))
    if tensor.__class__ is not BatchedTensor:  # not batched at an enclosing vmap
        return _inside(outer, tensor, text)
    value, dim = unwrap_batched(tensor)
    return _wrapped(f"BatchedTensor(lvl={level.depth}, bdim={dim}", _inside(outer, value, text))


def _wrapped(head: str, inner: str) -> str:
    return f"{head}, value=\n{textwrap.indent(inner, '    ')}\n)"


def _graph(tensor: Tensor) -> list[str]:
    """The suffix about the graph outside all transforms, without their fresh tensors: grad_fn or requires_grad."""
    node = tensor.grad_fn
    while isinstance(node, StandIn):
        tensor, node = node.value, node.value.grad_fn
    if node is None:
        return ["requires_grad=True"] if tensor.requires_grad and _is_outside(tensor) else []
    return [f"grad_fn=<{type(node).__name__}>"] if _leads_outside(node) else []


def _is_outside(leaf: Tensor) -> bool:
    """Whether a leaf was made outside of all derivatives."""
    begun = next((each.age for each in running if each.derivative), leaf._age + 1)
    return leaf._transform is None and leaf._age < begun


def _leads_outside(node: Node) -> bool:
    seen: set[int] = set()
    left = [node]
    while left:
        each = left.pop()
        if isinstance(each, AccumulateGrad) and _is_outside(each.variable):
            return True
        for following, _ in each.next_functions:
            if following is not None and id(following) not in seen:
                seen.add(id(following))
                left.append(following)
    return False
