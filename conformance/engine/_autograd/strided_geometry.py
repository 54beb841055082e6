"""as_strided for views and CopySlices: a geometry applied to the storage of a tensor (torch: TensorGeometry.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._c10.modes import state
from .._c10.shapes import Layout, blank
from . import views
from .batched_tensor import BatchedTensor, make_batched, unwrap_batched, vmap_of
from .storage_impl import buffer, storage
from .tensor import Tensor, make
from .views import Geometry, as_strided_node, as_view

if TYPE_CHECKING:
    from .._aten.registry import Array


def copy_with_layout(grad: Tensor, layout: Layout) -> Tensor:
    """A recorded copy of a gradient with the strides of a base."""
    if grad.__class__ is BatchedTensor and vmap_of(grad._level).old:
        shape, steps, size = layout
        count, size = vmap_of(grad._level).size, size or grad._array.nbytes
        result: Tensor = make_batched(
            make(blank(((count, *shape), (size, *steps), count * size), grad._array.dtype)), 0, grad._level
        )
        return result.copy_(grad)
    result = make(blank(layout, grad._array.dtype))
    return result.copy_(grad)


def strided_array(array: Array, geometry: Geometry) -> Array:
    """The array with this geometry over the storage of another one."""
    if not array.size or 0 in geometry.shape:
        return np.zeros(geometry.shape, array.dtype)
    memory = storage(array)
    start = array.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return np.ndarray(geometry.shape, array.dtype, buffer(memory), start + geometry.offset, geometry.strides)


def strided(source: Tensor, geometry: Geometry) -> Tensor:
    """A recorded view with this geometry."""
    if source.__class__ is BatchedTensor and vmap_of(source._level).old:
        value = unwrap_batched(source)[0]
        return make_batched(strided(value, geometry.of_batch(value._array)), 0, source._level)
    result = make(strided_array(source._array, geometry))
    as_view(result, source)
    if state.recording and source.requires_grad:
        result._node, result._requires_grad = as_strided_node(result, source), True
    return result


def as_strided_backward(grad: Tensor, geometry: Geometry, layout: Layout) -> Tensor:
    """The gradient of as_strided: zeros with the strides of the base, with the gradient added at the view's locations.

    Gradients of view elements that share a location are summed; if several base elements share one, the gradient is
    divided by their number (torch: as_strided_backward).
    """
    if 0 in geometry.shape or 0 in layout[0]:
        return make(np.zeros(layout[0], grad._array.dtype)).zero_()  # increments the version, like at::zeros
    item = grad._array.itemsize
    sizes: list[int] = []
    steps: list[int] = []
    for axis in reversed(range(grad._array.ndim)):
        n, step = geometry.shape[axis], geometry.strides[axis] // item
        if n == 1:
            grad = grad.squeeze(axis)
        else:
            sizes.insert(0, n)
            steps.insert(0, step)
    base = [(n, step // item) for n, step in zip(layout[0], layout[1], strict=True)]
    reach = [(n, step) for n, step in base if n != 1]
    mine, theirs = max(0, -(geometry.offset // item)), max(0, geometry.offset // item)
    extent = max(_extent(reach, mine), _extent(list(zip(sizes, steps, strict=True)), theirs))
    memory = make(np.zeros(extent, grad._array.dtype))
    if _overlaps(sizes, steps):
        memory.index_add_(0, make(_offsets(sizes, steps, theirs).reshape(-1)), grad.reshape(-1))
    else:
        memory.as_strided(sizes, steps, theirs).copy_(grad)
    if _overlaps([n for n, _ in reach], [step for _, step in reach]):
        count = np.bincount(
            _offsets([n for n, _ in reach], [step for _, step in reach], mine).ravel(), minlength=extent
        )
        memory.div_(make(count.astype(grad._array.dtype)))
    return memory.as_strided([n for n, _ in base], [step for _, step in base], mine)


def _extent(sides: list[tuple[int, int]], offset: int) -> int:
    return offset + 1 + sum((n - 1) * step for n, step in sides)


def _offsets(sizes: list[int], steps: list[int], offset: int) -> Array:
    """The storage offset of each element."""
    index = np.full(sizes, offset)
    for axis, (n, step) in enumerate(zip(sizes, steps, strict=True)):
        index += (np.arange(n) * step).reshape([-1 if i == axis else 1 for i in range(len(sizes))])
    return index


def _overlaps(sizes: list[int], steps: list[int]) -> bool:
    """Whether elements may share a location; each size is greater than one."""
    reach = 0
    for step, n in sorted(zip(steps, sizes, strict=True)):
        if step <= reach:
            return True
        reach += step * (n - 1)
    return False


views.strided, views.as_strided_backward, views.copy_with_layout = (
    strided,
    as_strided_backward,
    copy_with_layout,
)
