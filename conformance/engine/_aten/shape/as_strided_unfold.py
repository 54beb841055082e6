"""as_strided, and unfold (sliding windows along a dimension)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.storage_impl import address, buffer, storage
from ..._autograd.strided_geometry import as_strided_backward
from ..._autograd.tensor import Tensor
from ..._autograd.views import Geometry, layout_of_memory
from ..._c10.operator_facts import composite, without_defaults
from ..._c10.shapes import empty_in_steps, sizes, wrap_dim
from ..registry import ROWS, Array, op
from .inplace_views import view_in_place

# as_strided ---------------------------------------------------------------------------------------


def _laid_over(self: Array, size: Any, stride: Any, storage_offset: Any) -> Array:
    """The array's storage from an offset, with these strides, both in elements."""
    memory = storage(self)
    item = self.itemsize
    offset = (
        (address(self) - address(memory) if memory.size else 0)
        if storage_offset is None
        else storage_offset * item
    )
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    for step in stride:
        if step < 0:
            raise RuntimeError(
                "as_strided: Negative strides are not supported at the moment, got strides: "
                f"[{', '.join(map(str, stride))}]"
            )
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {storage_offset}")
    if any(n < 0 for n in size):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}"
        )
    steps = tuple(step * item for step in stride)
    if 0 in size:
        if offset > memory.nbytes or not memory.size:
            return empty_in_steps(size, self.dtype, stride)
        return np.ndarray(size, self.dtype, buffer(memory), offset, steps)
    needed = offset + item * (1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True)))
    available = memory.nbytes
    if needed > available:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset // item}, and "
            f"itemsize {item} "
            f"requiring a storage size of {needed} are out of bounds for storage of size {available}"
        )
    return np.ndarray(size, self.dtype, buffer(memory), offset, steps)


@op(
    "AsStridedBackward0",
    name="as_strided",
    view="default",
    complex="holomorphic",
    schema_args=lambda self, size, stride, storage_offset, _geometry: (
        without_defaults((None,), (self, size, stride, storage_offset)),
        {},
    ),
    self=lambda grad, size, stride, storage_offset, _geometry: as_strided_backward(grad, *_geometry),
)
def _as_strided(
    self: Array, size: Any, stride: Any, storage_offset: Any = None, _geometry: Any = None
) -> Array:
    return _laid_over(self, size, stride, storage_offset)


op(
    "AsStridedBackward1",
    name="as_strided_in_place",
    view="default",
    complex="holomorphic",
    **ROWS["as_strided"].formulas,
)(ROWS["as_strided"].forward)


def _arguments(self: Tensor, size: Any, stride: Any, storage_offset: Any) -> tuple[Any, ...]:
    size, stride = sizes((size,)), sizes((stride,), "argument 'stride'")
    shown = _laid_over(self._array, size, stride, storage_offset)
    return size, stride, storage_offset, (Geometry(shown, self._array), layout_of_memory(self._array))


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """A view of the tensor's storage with this size, strides and offset."""
    return _as_strided(input, *_arguments(input, size, stride, storage_offset))


@composite(variants="function, method", vmap="fallback")
def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """as_strided in place."""
    return view_in_place(ROWS["as_strided_in_place"], self, *_arguments(self, size, stride, storage_offset))


# unfold -------------------------------------------------------------------------------------------


@op(
    "UnfoldBackward0",
    view="default",
    complex="holomorphic",
    vmap="along",
    variants="method",
    self=lambda grad, self_sym_sizes, dimension, size, step: unfold_backward(
        grad, self_sym_sizes, dimension, size, step
    ),
)
def unfold(self: Array, dimension: Any, size: int, step: int) -> Array:
    """Windows of length ``size`` along a dimension, one every ``step`` elements, as a new last dimension."""
    axis = wrap_dim(dimension, self.ndim)
    n = self.shape[axis] if self.ndim else 1
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {n} but size is {size}")
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not self.ndim:
        return np.lib.stride_tricks.as_strided(self, (size,), (self.itemsize,), subok=True)
    shape = [(n - size) // step + 1 if i == axis else m for i, m in enumerate(self.shape)]
    steps = [s * step if i == axis else s for i, s in enumerate(self.strides)]
    return np.lib.stride_tricks.as_strided(self, (*shape, size), (*steps, self.strides[axis]), subok=True)


@op(
    "UnfoldBackwardBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="fallback",
    grad_in=lambda grad, dim, size, step: unfold(grad, dim, size, step),
)
def unfold_backward(grad_in: Array, input_sizes: Any, dim: Any, size: int, step: int) -> Array:
    """The gradient of unfold: the windows' gradients are added where they overlap."""
    result = np.zeros(input_sizes or (1,), grad_in.dtype)
    if not len(input_sizes):
        result[:size] = grad_in
        return result.reshape(())
    axis = wrap_dim(dim, len(input_sizes))
    windows = np.moveaxis(grad_in, axis, 0)
    target = np.moveaxis(result, axis, -1)
    count = windows.shape[0]
    if count < size:
        for i in range(count):
            target[..., i * step : i * step + size] += windows[i]
    else:
        for j in reversed(range(size)):  # so that each element adds up in the order of the windows
            target[..., j : j + step * (count - 1) + 1 : step] += np.moveaxis(windows[..., j], 0, -1)
    return result


PUBLIC = ("as_strided", "as_strided_", "unfold")
