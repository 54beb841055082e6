"""The queue of nodes that are ready to run: the highest sequence number first (torch: autograd/engine.cpp, ReadyQueue).

Note [Ties in the ready queue]: AccumulateGrad nodes all have the same sequence number. Among equal nodes the order is that of
libstdc++'s priority_queue, which is neither first in, first out nor last in, first out. Python's heapq moves its entries by
the same steps as std::push_heap and std::pop_heap, also at ties, as long as only sequence numbers are compared.
"""

from __future__ import annotations

from heapq import heappop, heappush, heappushpop
from typing import Any

from .node import Node

Buffer = list[Any]  # the gradients of a node so far, None where none has arrived (torch: InputBuffer)
# The negated sequence number; a set, since two sets with different elements are neither equal nor less than each other,
# so that nothing behind it is compared (see Note [Ties in the ready queue]); the node and its gradients.
Heap = list[tuple[int, set[Node], Node, Buffer]]


def push(heap: Heap, node: Node, buffer: Buffer) -> None:
    """Add a ready node with its gradients."""
    heappush(heap, (-node.sequence_nr, {node}, node, buffer))


def pop(heap: Heap) -> tuple[Node, Buffer]:
    """Remove and return the node that runs next."""
    _, _, node, buffer = heappop(heap)
    return node, buffer


def pushpop(heap: Heap, node: Node, buffer: Buffer) -> tuple[Node, Buffer]:
    """Push a ready node and pop the next one, in one step; the queue must not be empty."""
    rank = -node.sequence_nr
    if rank == heap[0][0]:  # heappushpop would return the new node
        push(heap, node, buffer)
        return pop(heap)
    _, _, node, buffer = heappushpop(heap, (rank, {node}, node, buffer))
    return node, buffer
