"""Copies of a part, and copies with a part replaced: narrow_copy, select_scatter, slice_scatter, diagonal_scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.inplace_checks import check_no_overlap, overlaps
from ..._autograd.storage_impl import copy_with_memory
from ..._autograd.tensor import Tensor, make
from ..._c10.operator_facts import Out
from ..._c10.shapes import wrap_dim
from ..registry import ROWS, Array, op
from .slice_select import narrow_start, slice_, slice_backward


def _cloned(array: Array) -> Array:
    """A copy with the same strides (torch: clone_preserve_strides)."""
    return array.copy("C") if overlaps(array) else copy_with_memory(array, {})


@op(
    "NarrowCopyBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    out=Out(warns=False),
    self=lambda grad, self_sym_sizes, dim, start, length: slice_backward(
        grad, self_sym_sizes, dim, start, start + length, 1
    ),
)
def narrow_copy(self: Array, dim: Any, start: Any, length: Any) -> Array:
    """narrow as a copy."""
    if self.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    axis = wrap_dim(dim, self.ndim)
    first = narrow_start(self.shape[axis], start, length)
    if length < 0:
        raise RuntimeError(
            f"start ({first}) + length ({length}) exceeds dimension size ({self.shape[axis]})."
        )
    return self[(slice(None),) * axis + (slice(first, first + length),)].copy()


def _expected(name: str, shape: tuple[int, ...], src: Array) -> None:
    if src.shape != shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size "
            f"= {list(shape)}"
        )


@op(
    "SelectScatterBackward0",
    out=False,
    jvp="auto_linear",
    self=lambda grad, _src_sym_sizes, dim, index: select_scatter(
        grad, _zeros(grad, _src_sym_sizes), dim, index
    ),
    src=lambda grad, dim, index: grad.select(dim, index),
)
def select_scatter(self: Array, src: Array, dim: Any, index: Any) -> Array:
    """A copy with ``src`` written to one entry along a dimension."""
    if not self.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = wrap_dim(dim, self.ndim)
    result = _cloned(self)
    n = self.shape[axis]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {axis}"
        )
    part = (slice(None),) * axis + (index,)
    _expected("select_scatter", result[part].shape, src)
    result[part] = src
    return result


@op(
    "SliceScatterBackward0",
    jvp="auto_linear",
    out=Out(operator="aten::slice_scatter", contiguous=True),
    self=lambda grad, _src_sym_sizes, dim, start, end, step: slice_scatter(
        grad, _zeros(grad, _src_sym_sizes), dim, start, end, step
    ),
    src=lambda grad, dim, start, end, step: slice_(grad, dim, start, end, step),
)
def slice_scatter(
    self: Array, src: Array, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1
) -> Array:
    """A copy with ``src`` written to a slice."""
    if not self.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    axis = wrap_dim(dim, self.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    result = _cloned(self)
    part = (slice(None),) * axis + (slice(start, end, step),)
    _expected("slice_scatter", result[part].shape, src)
    result[part] = src
    return result


@op(
    "DiagonalScatterBackward0",
    out=False,
    complex="holomorphic",
    handle_r_to_c=False,
    jvp="auto_linear",
    self=lambda grad, _src_sym_sizes, offset, dim1, dim2: diagonal_scatter(
        grad, _zeros(grad, _src_sym_sizes), offset, dim1, dim2
    ),
    src=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
)
def diagonal_scatter(self: Array, src: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """A copy with ``src`` written to a diagonal."""
    result = _cloned(self)
    part = ROWS["diagonal"].forward(result, offset, dim1, dim2)
    _expected("diagonal_scatter", part.shape, src)
    part[...] = src
    return result


def _zeros(grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    return make(np.zeros(shape, grad._array.dtype))


# as_strided_scatter -------------------------------------------------------------------------------


def _kept_backward(grad: Tensor, size: Any, stride: Any, storage_offset: Any) -> Tensor:
    """torch's gradient of ``self``: wrongly, that of the replaced part, and 0 elsewhere."""
    laid = grad.contiguous()
    memory = grad.new_zeros(grad._array.size)
    result = memory.as_strided(laid._array.shape, laid.stride(), 0)
    memory.as_strided(size, stride, storage_offset).copy_(laid.as_strided(size, stride, storage_offset))
    return result


@op(
    "AsStridedScatterBackward0",
    out=False,
    complex="holomorphic",
    handle_r_to_c=False,
    jvp="auto_linear",
    no_vmap=(
        "Error: aten::as_strided_scatter requires special handling, and does not yet have a batching rule. "
        "Feel free to file a github issue!"
    ),
    self=_kept_backward,
    src=lambda grad, size, stride, storage_offset: grad.contiguous().as_strided(size, stride, storage_offset),
)
def as_strided_scatter(self: Array, src: Array, size: Any, stride: Any, storage_offset: Any = None) -> Array:
    """A copy with ``src`` written to the as_strided view of these size, strides and offset."""
    result = _cloned(self)
    part = make(result).as_strided(size, stride, storage_offset)._array
    _expected("as_strided_scatter", part.shape, src)
    check_no_overlap(part)
    part[...] = src
    return result


PUBLIC = ("as_strided_scatter", "diagonal_scatter", "narrow_copy", "select_scatter", "slice_scatter")
