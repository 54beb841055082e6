"""The nodes that are ready to run, the latest made on top (torch: autograd/engine.cpp, ReadyQueue).

Note [Ties between leaves]: nodes of equal rank (AccumulateGrads) run in the order in which libstdc++'s
priority_queue hands them out, which is neither first in, first out nor the reverse. push and pop are
therefore std::push_heap and std::pop_heap step by step; heapq would break ties otherwise.
"""

from __future__ import annotations

from typing import Any

from .node import Node

Buffer = list[Any]  # the summed gradients that a node waits with, None where none has come
Heap = list[tuple[Node, Buffer]]


def push(heap: Heap, item: tuple[Node, Buffer]) -> None:
    """Add a node that is ready."""
    heap.append(item)
    _rise(heap, len(heap) - 1, item)


def pop(heap: Heap) -> tuple[Node, Buffer]:
    """Take the node that runs next."""
    top = heap[0]
    item = heap.pop()
    length = len(heap)
    if not length:
        return top
    hole = 0
    child = 0
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if heap[child][0].sequence_nr < heap[child - 1][0].sequence_nr:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if length % 2 == 0 and child == (length - 2) // 2:
        child = 2 * (child + 1)
        heap[hole] = heap[child - 1]
        hole = child - 1
    _rise(heap, hole, item)
    return top


def _rise(heap: Heap, hole: int, item: tuple[Node, Buffer]) -> None:
    """Put an item into the hole, or above it where what stands there is of lower rank."""
    rank = item[0].sequence_nr
    while hole:
        parent = (hole - 1) // 2
        if heap[parent][0].sequence_nr >= rank:
            break
        heap[hole] = heap[parent]
        hole = parent
    heap[hole] = item
