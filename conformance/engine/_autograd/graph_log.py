"""The debug log of torch.autograd.graph: each node before it runs (torch: _register_logging_hooks_on_whole_graph)."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .._c10.modes import state
from .engine import run_backward
from .node import Edge, Gradients, Node

if TYPE_CHECKING:
    from logging import Logger

    from .tensor import Tensor

_NAME = "torch.autograd.graph"
_ABBREVIATIONS = {"float": "f", "int": "i", "uint": "u", "complex": "c", "bool": "b8"}


def is_logging_enabled() -> bool:
    """Whether the logger is enabled. It cannot be if the user has not imported ``logging``, whose import takes time."""
    logging = sys.modules.get("logging")
    return logging is not None and _logger(logging).isEnabledFor(logging.DEBUG)


@cache
def _logger(logging: ModuleType) -> Logger:
    return logging.getLogger(_NAME)


def run_backward_logged(roots: tuple[Edge, ...], *arguments: Any) -> list[Tensor | None]:
    """``run_backward``, with a line for each node that can be reached from the roots, and its incoming gradients."""
    handles = [node.register_prehook(_log_node) for node in _reachable_nodes(roots)]
    try:
        return run_backward(roots, *arguments)
    finally:
        for each in handles:
            each.remove()


def _reachable_nodes(roots: Sequence[Edge]) -> list[Node]:
    result = {node: None for node, _ in roots if node is not None}
    queue = deque(result)
    while queue:
        for node, _ in queue.popleft().next_functions:
            if node is not None and node not in result:
                result[node] = None
                queue.append(node)
    return list(result)


def _log_node(grads: Gradients) -> None:
    import logging  # slow to import

    logging.getLogger(_NAME).debug(
        f"Executing: {state.graph_task.running} with grad_outputs: [{','.join(map(_describe_gradient, grads))}]"
    )


def _describe_gradient(gradient: Any) -> str:
    if gradient is None:
        return "None"
    name = gradient.dtype.name
    kind = name.rstrip("0123456789")
    return f"{_ABBREVIATIONS[kind]}{name.removeprefix(kind)}[{', '.join(map(str, gradient.shape))}]"
