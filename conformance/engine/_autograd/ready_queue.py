"""The nodes that are ready to run, the latest made on top (torch: autograd/engine.cpp, ReadyQueue).

Note [Ties between leaves]: nodes of equal rank (AccumulateGrads) run in the order in which libstdc++'s
priority_queue hands them out, which is neither first in, first out nor the reverse. Python's heapq moves what it
holds by the same steps as std::push_heap and std::pop_heap, also at ties, as long as ranks alone are compared.
"""

from __future__ import annotations

from heapq import heappop, heappush, heappushpop
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


def pushpop(heap: Heap, node: Node, buffer: Buffer) -> tuple[Node, Buffer]:
    """Of a node that is ready and those that wait here, of which there are some, take the one that runs next."""
    rank = -node.sequence_nr
    if rank == heap[0][0]:  # heappushpop would take the new one
        push(heap, node, buffer)
        return pop(heap)
    _, _, node, buffer = heappushpop(heap, (rank, {node}, node, buffer))
    return node, buffer
