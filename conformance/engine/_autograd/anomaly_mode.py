"""Anomaly mode: errors of backward with the traceback of the forward call (torch: autograd/anomaly_mode.cpp)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._c10.layout import LayoutError, elements_of
from .batched_tensor import BatchedTensor
from .node import Gradients, Node


def check_nan(node: Node, outputs: Gradients) -> None:
    """Check that no gradient has nan.

    Raises:
        RuntimeError: one has; names the node and the output. Or the gradients are batched, where torch has no batching rule.
    """
    for number, gradient in enumerate(outputs):
        if gradient.__class__ is BatchedTensor:
            raise RuntimeError(
                "Batching rule not implemented for aten::item. We could not generate a fallback."
            )
        if gradient is not None and _has_nan(gradient._array):
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {number}th output.")


def _has_nan(array: Any) -> bool:
    try:
        return bool(np.isnan(array).any())
    except LayoutError:
        return bool(np.isnan(elements_of(array)).any())


def tracebacks(node: Node) -> Iterator[str]:
    """Warnings for a node that raised: the traceback of its forward call, then those of its parent nodes.

    torch: AnomalyMetadata::print_stack.
    """
    yield _traceback(node, "Error detected in {}. Traceback of forward call that caused the error:\n")
    parent = node.metadata.get("parent_")
    while parent is not None:
        yield _traceback(
            parent,
            "\n\nPrevious calculation was induced by {}. Traceback of forward call that induced the previous "
            "calculation:\n",
        )
        parent = parent.metadata.get("parent_")


def _traceback(node: Node, heading: str) -> str:
    trace = node.metadata.get("traceback_")
    if trace is None:
        return (
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly "
            "during forward pass for more information."
        )
    return heading.format(node.name()) + "".join(trace)
