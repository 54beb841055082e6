"""flip, roll, rot90, tile and repeat_interleave, which reorder or repeat elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..._autograd.tensor import Tensor, wrap
from ..._c10.errors import unimplemented
from ..._c10.layout import following
from ..._c10.operator_facts import composite
from ..._c10.shapes import (
    existing_dim,
    like_steps,
    ordered,
    sizes,
    wrap_dim,
    wrap_dims,
)
from ..registry import ROWS, Array, op
from .clone_to import in_order

# flip ---------------------------------------------------------------------------------------------


@op(
    "FlipBackward0",
    name="flip",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="along",
    self=lambda grad, dims: _flip(grad, dims),
)
def _flip(self: Array, dims: Any) -> Array:
    axes = wrap_dims(dims, self.ndim)
    if not self.ndim:
        return self.copy()
    flipped = np.flip(self, axes).copy()
    # With one element the stride 0 of an expanded tensor stays: AccumulateGrad does not steal such a gradient.
    return like_steps(flipped, self) if self.size != 1 else as_strided(flipped, self.shape, self.strides)


@composite(vmap="decompose")
def flip(input: Tensor, *axes: Any, dims: Any = None) -> Tensor:
    """The order of the entries reversed along dimensions."""
    return _flip(input, sizes(axes if dims is None else (dims,), "flip(): argument 'dims'"))


@composite(vmap="decompose")
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return _flip(input, (1,))


@composite(vmap="decompose")
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return _flip(input, (0,))


# roll and rot90 -----------------------------------------------------------------------------------


@op(
    "RollBackward0",
    name="roll",
    complex="holomorphic",
    jvp="auto_linear",
    self=lambda grad, shifts, dims: _roll(grad, tuple(-n for n in reversed(shifts)), tuple(reversed(dims))),
)
def _roll(self: Array, shifts: Any, dims: Any = ()) -> Array:
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims and len(shifts) == 1:
        return np.roll(self, shifts[0]) if self.size or self.ndim > 1 else like_steps(self.copy(), self)
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not self.size:
        return like_steps(self.copy(), self)
    existing_dim(dims[0], self.ndim)
    result = self
    for shift, dim in zip(shifts, dims, strict=True):
        axis = wrap_dim(dim, self.ndim)
        moves = (
            shift % self.shape[axis] != 0
        )  # if not, torch's cat with an empty part ignores the memory format
        rolled = np.roll(result, shift, axis)
        result = following(rolled, result) if moves else ordered(rolled)
    return result


@composite(vmap="decompose")
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """The entries shifted along dimensions; those past the end reappear at the beginning."""
    shifts = sizes((shifts,), "roll(): argument 'shifts'")
    dims = () if dims is None else sizes((dims,), "roll(): argument 'dims'")
    return _roll(input, shifts, dims)


@op(
    "Rot90Backward0",
    name="rot90",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="along",
    self=lambda grad, k, dims: _rot90(grad, -k, dims),
)
def _rot90(self: Array, k: int, dims: Any) -> Array:
    total = self.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if total < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {total}")
    first, second = (wrap_dim(dim, total) for dim in dims)
    if first == second:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    if k % 2 == 0:
        return ROWS["flip"].forward(self, dims) if k % 4 else self.copy()
    turned = ROWS["flip"].forward(self, (second if k % 4 == 1 else first,))
    return np.swapaxes(turned, first, second)


@composite(vmap="decompose")
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """The tensor rotated by 90 degrees, k times, in the plane of two dimensions."""
    return _rot90(input, k, tuple(dims))


# tile and repeat_interleave -----------------------------------------------------------------------


@composite(vmap="decompose")
def tile(input: Tensor, *repeats: Any, dims: Any = None) -> Tensor:
    """The tensor repeated ``dims`` times along each dimension."""
    times = sizes(repeats if dims is None else (dims,), "tile(): argument 'dims'")
    return input.repeat((1,) * (input._array.ndim - len(times)) + times)


def _interleave(repeats: Array) -> Array:
    if repeats.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats.dtype not in (np.int32, np.int64):
        raise unimplemented("repeat_interleave_cpu", repeats.dtype)
    if repeats.size and repeats.min() < 0:
        raise RuntimeError("repeats can not be negative")
    return np.repeat(np.arange(repeats.size, dtype=repeats.dtype), repeats)


@composite(vmap="decompose")
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: Any = None, *, output_size: Any = None
) -> Tensor:
    """Each entry repeated consecutively; of repeats alone, the indices of the entries."""
    if repeats is None:
        result = _interleave(input._array)
        _check_size(result, output_size)
        return wrap(result)
    if not isinstance(repeats, Tensor):
        source = input.flatten() if dim is None else input
        axis = wrap_dim(0 if dim is None else dim, source._array.ndim)
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        shape = source._array.shape
        if output_size not in (None, shape[axis] * repeats):
            raise RuntimeError(
                f"repeat_interleave: Invalid output_size, expected {shape[axis] * repeats} but got {output_size}"
            )
        wide = source.unsqueeze(axis + 1).expand((*shape[: axis + 1], repeats, *shape[axis + 1 :]))
        return in_order(wide).flatten(axis, axis + 1)
    source = input.flatten() if dim is None else input
    axis = wrap_dim(0 if dim is None else dim, source._array.ndim)
    n = source._array.shape[axis]
    counts = repeats._array
    if counts.ndim == 0 or (counts.ndim == 1 and counts.size == 1):
        counts = np.broadcast_to(counts.reshape(1), (n,))
    elif counts.ndim != 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    elif counts.size != n:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({axis}) = {n}"
        )
    result = _interleave(counts)
    _check_size(result, output_size)
    return source.index_select(axis, wrap(result))


def _check_size(found: Array, output_size: int | None) -> None:
    if output_size not in (None, found.size):
        raise RuntimeError("allocated size does not match required size")


PUBLIC = ("flip", "fliplr", "flipud", "repeat_interleave", "roll", "rot90", "tile")
