"""How tensors print inside a transform of torch.func: each transform wraps them (torch: functorch/init.cpp)."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from ..batching import BatchedTensor, vmaps, whole_of
from ..node import Node
from ..tensor import Tensor
from .nesting import Running, running

Text = Callable[[Tensor, list[str]], str]


def wrapped_text(tensor: Tensor, text: Text) -> str | None:
    """The repr of a tensor that a running transform wraps, None for one that was made outside; ``text`` is that of a
    plain tensor, with what it is told to say of the graph."""
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
    if tensor.__class__ is not BatchedTensor:  # in a vmap around, it is one for all examples
        return _inside(outer, tensor, text)
    whole, dim = whole_of(tensor)
    return _wrapped(f"BatchedTensor(lvl={level.depth}, bdim={dim}", _inside(outer, whole, text))


def _wrapped(head: str, inner: str) -> str:
    return f"{head}, value=\n{textwrap.indent(inner, '    ')}\n)"


def _graph(tensor: Tensor) -> list[str]:
    """What is said of the graph outside all transforms: the tensors by which they differentiate are not there."""
    node = tensor.grad_fn
    if node is None or not _leads_outside(node):
        return []
    return [f"grad_fn=<{type(node).__name__}>"]


def _leads_outside(node: Node) -> bool:
    seen: set[int] = set()
    left = [node]
    while left:
        each = left.pop()
        variable = getattr(each, "variable", None)
        if variable is not None and variable._transform is None:
            return True
        for following, _ in each.next_functions:
            if following is not None and id(following) not in seen:
                seen.add(id(following))
                left.append(following)
    return False
