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


class _Item(tuple[Node, Buffer]):
    """A node that is ready, with its gradients: equal to all others, so that of two of one rank none is the lesser."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True


Heap = list[tuple[int, _Item]]


def push(heap: Heap, item: tuple[Node, Buffer]) -> None:
    """Add a node that is ready."""
    heappush(heap, (-item[0].sequence_nr, _Item(item)))


def pop(heap: Heap) -> tuple[Node, Buffer]:
    """Take the node that runs next."""
    return heappop(heap)[1]
