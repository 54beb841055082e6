"""Reduce and cast gradients to the shape and dtype of their inputs (torch: engine.cpp, validate_outputs)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._c10 import dtypes, errors
from .node import Edge, Gradients, Node
from .tensor import Tensor


def validate_outputs(node: Node, gradients: Gradients) -> Gradients:
    """Reduce and cast what a node returned for its ``next_nodes``."""
    return _validate(node.next_nodes, node.input_nrs, gradients, node.name)


def validate_gradients(roots: tuple[Edge, ...], gradients: Gradients) -> Gradients:
    """Reduce and cast the initial gradients of a pass for its roots."""
    return _validate([node for node, _ in roots], [number for _, number in roots], gradients, "")


def _validate(
    nodes: Sequence[Node | None], input_nrs: Sequence[int], gradients: Gradients, name: Any
) -> Gradients:
    """Reduce and cast each gradient to the input metadata of its node.

    Raises:
        RuntimeError: a shape cannot be reduced, or a dtype cannot be cast.
    """
    changed: list[Tensor | None] | None = None
    for number, node in enumerate(nodes):
        gradient = gradients[number]
        if gradient is None or node is None:
            continue
        if gradient._shared_metadata is node.input_metadata:
            continue
        shape, kind = node.input_metadata[input_nrs[number]]
        array = gradient._array
        if array.shape == shape and array.dtype is kind:
            continue
        if changed is None:
            changed = list(gradients)
        changed[number] = validate_gradient(gradient, node, input_nrs[number], number, name)
    return gradients if changed is None else tuple(changed)


def validate_gradient(gradient: Tensor, node: Node, input_nr: int, number: int, name: Any) -> Tensor:
    """Reduce and cast one gradient to the metadata of a node's input, or to the ``grad_dtype`` of a leaf.

    Raises:
        RuntimeError: see ``conform``; or the dtype is not differentiable.
    """
    shape, kind = node.input_metadata[input_nr]
    if kind is not None:
        return conform(gradient, shape, kind, number, name)
    leaf: Tensor = node.variable  # type: ignore[attr-defined]
    gradient = _reduce_to(gradient, shape, number, name)
    _check_castable(gradient, leaf._array.dtype)
    if leaf._grad_dtype is not None:
        gradient = gradient.to(leaf._grad_dtype)
    if gradient._array.dtype.kind not in "fcV":
        raise RuntimeError(errors.GRADIENT_WITHOUT_DERIVATIVE)
    return gradient


def conform(gradient: Tensor, shape: tuple[int, ...], kind: np.dtype[Any], number: int, name: Any) -> Tensor:
    """Sum a gradient to a shape and cast it to a dtype; ``name`` is that of the node that returned it, or empty.

    Raises:
        RuntimeError: the shapes do not broadcast; the gradient is complex but the input is not, or the gradient is an
            integer and the input is complex.
    """
    unfit = kind.kind != "c" and gradient._array.dtype.kind == "c"
    if unfit and name and number in _HANDLE_R_TO_C.get(name(), ()):
        gradient = gradient.real
    gradient = _reduce_to(gradient, shape, number, name)
    if gradient._array.dtype is not kind:
        _check_castable(gradient, kind)
        gradient = gradient.to(dtypes.BY_NUMPY[kind])
    return gradient


def _reduce_to(gradient: Tensor, shape: tuple[int, ...], number: int, name: Any) -> Tensor:
    if gradient._array.shape == shape:
        return gradient
    if not is_expandable_to(shape, gradient._array.shape):
        subject = f"Function {name()} returned an " if name else ""
        raise RuntimeError(
            f"{subject}invalid gradient at index {number} - got "
            f"{list(gradient._array.shape)} but expected shape compatible with {list(shape)}"
        )
    return sum_to(gradient, shape)


def _check_castable(gradient: Tensor, kind: np.dtype[Any]) -> None:
    """torch casts a floating-point gradient to any dtype, but casts between complex and other dtypes raise."""
    grad_kind = gradient._array.dtype.kind
    if grad_kind not in "fV" and (grad_kind == "c") is not (kind.kind == "c"):
        raise RuntimeError(errors.NO_COMPLEX_HERE)


# Nodes whose saved operand may have got complex data in the meantime (torch: handle_r_to_c in their formulas).
_HANDLE_R_TO_C = {
    "MulBackward0": (0, 1), "DivBackward0": (1,), "AddcmulBackward0": (1, 2), "AddcdivBackward0": (1, 2),
}  # fmt: skip


def is_expandable_to(shape: tuple[int, ...], desired: tuple[int, ...]) -> bool:
    """Whether a tensor of this shape broadcasts to the desired one (torch: at::is_expandable_to)."""
    pairs = zip(reversed(shape), reversed(desired), strict=False)
    return len(shape) <= len(desired) and all(have in (1, want) for have, want in pairs)


def sum_to(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Sum a broadcast gradient back to the shape of its input (at::sum_to)."""
    if not shape:
        return tensor.sum()
    have = tensor._array.shape
    leading = len(have) - len(shape)
    dims = [*range(leading)]
    dims += [i for i in range(leading, len(have)) if shape[i - leading] == 1 and have[i] != 1]
    if dims:
        tensor = tensor.sum(dims, True)
    return tensor.view(shape) if leading else tensor
