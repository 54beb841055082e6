"""Tensors laid over memory by shape, strides and offset: what views and CopySlices need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..modes import state
from ..node import Gradients, Node, gradient_edge, new_node
from ..tensor import Tensor, make, storage
from ..views import Geometry, as_strided_node, as_view

if TYPE_CHECKING:
    from ..rows import Array

Layout = tuple[tuple[int, ...], tuple[int, ...], int]


def blank(layout: Layout, kind: np.dtype[Any]) -> Array:
    """Zeros with this shape and these strides in bytes."""
    shape, steps, size = layout
    if not size:
        return np.zeros(shape, kind)
    memory = np.zeros(size, np.uint8)
    return np.ndarray(shape, kind, memory, 0, steps)


def copy_laid_out(grad: Tensor, layout: Layout) -> Tensor:
    """A recorded copy of a gradient, laid out as the base of a view."""
    result = make(blank(layout, grad._array.dtype))
    return result.copy_(grad)  # type: ignore[no-any-return]


def over(array: Array, geometry: Geometry) -> Array:
    """The part of an array that the geometry shows; shares memory."""
    if not array.size or 0 in geometry.shape:
        return np.zeros(geometry.shape, array.dtype)
    memory = storage(array)
    start = array.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    if not memory.flags.c_contiguous:
        return np.lib.stride_tricks.as_strided(
            array.reshape(-1)[geometry.offset // array.itemsize :], geometry.shape, geometry.strides
        )
    return np.ndarray(geometry.shape, array.dtype, memory.data, start + geometry.offset, geometry.strides)


def strided(source: Tensor, geometry: Geometry) -> Tensor:
    """A recorded view of a tensor's memory."""
    result = make(over(source._array, geometry))
    as_view(result, source)
    if state.recording and source.requires_grad:
        result._grad_fn, result._requires_grad = as_strided_node(result, source), True
    return result


class AsStridedScatter(Node):
    """The node of ``as_strided_backward``: takes the view of what comes in."""

    __slots__ = ("geometry", "layout")
    geometry: Geometry
    layout: Layout

    def apply(self, grads: Gradients) -> Gradients:
        grad = grads[0]
        return (None,) if grad is None else (strided(copy_laid_out(grad, self.layout), self.geometry),)


AsStridedScatter.__name__ = "AsStridedBackwardBackward0"


def as_strided_backward(grad: Tensor, geometry: Geometry, layout: Layout) -> Tensor:
    """Zeros laid out as the base, with the gradient in the places of the view; overlaps are summed."""
    array = blank(layout, grad._array.dtype)
    window = over(array, geometry)
    if _overlaps(geometry, array.itemsize):
        flat = np.zeros(layout[2] // array.itemsize, array.dtype)
        index = np.zeros(geometry.shape, np.int64)
        for axis, (n, step) in enumerate(zip(geometry.shape, geometry.strides, strict=True)):
            along = np.arange(n) * (step // array.itemsize)
            index = index + along.reshape([-1 if i == axis else 1 for i in range(len(geometry.shape))])
        np.add.at(flat, index.ravel() + geometry.offset // array.itemsize, grad._array.ravel())
        array = np.ndarray(layout[0], array.dtype, flat.data, 0, layout[1])
    else:
        window[...] = grad._array
    result = make(array)
    if state.recording and grad.requires_grad:
        node = new_node(AsStridedScatter)
        node.next_edges = (gradient_edge(grad),)
        node.input_metadata = ((array.shape, array.dtype),)
        node.geometry, node.layout = geometry, layout
        result._grad_fn, result._requires_grad = node, True
    return result


def _overlaps(geometry: Geometry, itemsize: int) -> bool:
    reach = 0
    for step, n in sorted((abs(s), n) for s, n in zip(geometry.strides, geometry.shape, strict=True) if n > 1):
        if step <= reach:
            return True
        reach += step * (n - 1)
    return False
