"""The nodes that are ready to run, the latest made on top (torch: autograd/engine.cpp, ReadyQueue).

Note [Ties between leaves]: nodes of equal rank (AccumulateGrads) run in the order in which libstdc++'s
priority_queue hands them out, which is neither first in, first out nor the reverse. Python's heapq moves what it
holds by the same steps as std::push_heap and std::pop_heap, also at ties, as long as ranks alone are compared.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from .node import Node

Buffer = list[Any]  # the summed gradients that a node waits with, None where none has come
# The rank, which is least where the node is the latest; a set that is neither equal to another one nor less, so that
# nothing else is compared; the node and its gradients.
Heap = list[tuple[int, set[Node], Node, Buffer]]


def push(heap: Heap, node: Node, buffer: Buffer) -> None:
    """Add a node that is ready, with its gradients."""
    heappush(heap, (-node.sequence_nr, {node}, node, buffer))


def pop(heap: Heap) -> tuple[Node, Buffer]:
    """Take the node that runs next."""
    _, _, node, buffer = heappop(heap)
    return node, buffer
