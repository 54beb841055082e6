"""Constant, reflection and replication padding of the last dimensions (torch: native/PadNd.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.dtypes import number_within
from ..._c10.errors import need_fitting
from ..._c10.layout import following, laid_out
from ..._c10.shapes import like_steps
from ..indexing.gather_scatter import add_along
from ..registry import Array, op
from .pool_windows import written_zeros

PUBLIC = ()
Ints = tuple[int, ...]


@op(
    "ConstantPadNdBackward0",
    complex="holomorphic",
    schema_args=lambda self, pad, value=0.0: ((self, pad, value), {}),
    self=lambda grad, pad: constant_pad_nd(grad, tuple(-n for n in pad), 0),
)
def constant_pad_nd(self: Array, pad: Ints, value: Any = 0) -> Array:
    """Pad with a number; negative widths crop. ``pad`` holds pairs (before, after), from the last dimension on."""
    ndim = self.ndim
    need_fitting(len(pad) <= 2 * ndim, "constant_pad_nd")
    inner, outer, shape = [], [], []
    for axis, n in enumerate(self.shape):
        place = 2 * (ndim - 1 - axis)
        before, after = (pad[place], pad[place + 1]) if place < len(pad) else (0, 0)
        length = n + before + after
        if n + min(before, 0) + min(after, 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        shape.append(length)
        inner.append(slice(max(-before, 0), n - max(-after, 0)))
        outer.append(slice(max(before, 0), length - max(after, 0)))
    if not any(n > 0 for n in pad):
        part = self[tuple(inner)]
        return like_steps(laid_out(part, None), part)
    result = np.full(shape, number_within(self.dtype, value), self.dtype)
    result[tuple(outer)] = self[tuple(inner)]
    return following(result, self)


# Elements of the input itself: one index array for each padded dimension ---------------------------


def _sources(n: int, before: int, after: int, mirrored: bool) -> Array:
    """The source index of each element of a padded dimension."""
    place = np.arange(-before, n + after)
    if not mirrored:
        return np.clip(place, 0, n - 1)
    place = np.abs(place)
    return np.where(place >= n, 2 * (n - 1) - place, place)


def _each(shape: Ints, padding: Ints, mirrored: bool) -> list[tuple[int, Array]]:
    spatial = len(padding) // 2
    ndim = len(shape)
    return [
        (ndim - 1 - i, _sources(shape[ndim - 1 - i], padding[2 * i], padding[2 * i + 1], mirrored))
        for i in range(spatial)
    ]


def _take(array: Array, padding: Ints, mirrored: bool) -> Array:
    for axis, sources in _each(array.shape, padding, mirrored):
        array = np.take(array, sources, axis)
    return array


def put(array: Array, axis: int, sources: Array, length: int) -> Array:
    """The transpose of take: add entries to their source positions."""
    result = np.zeros((*array.shape[:axis], length, *array.shape[axis + 1 :]), array.dtype)
    add_along(result, axis, sources.reshape(-1, *(1,) * (array.ndim - axis - 1)), array)
    return result


def _put_back(array: Array, shape: Ints, padding: Ints, mirrored: bool) -> Array:
    for axis, sources in reversed(_each(shape, padding, mirrored)):
        array = put(array, axis, sources, shape[axis])
    return array


def _pair(name: str, node: str, mirrored: bool, autocast: str | None = "fp32") -> Any:
    """Register forward and backward for one padding mode and number of dimensions."""

    def forward(self: Array, padding: Ints) -> Array:
        return following(_take(self, padding, mirrored), self)

    def backward(grad_output: Array, self: Array, padding: Ints) -> Array:
        return following(_put_back(grad_output, self.shape, padding, mirrored), self)

    def again(grad: Tensor, padding: Ints) -> Tensor:
        return padded(grad, padding)

    def first(grad: Tensor, self: Tensor, padding: Ints) -> Tensor:
        return gradient(grad, self, padding)

    gradient = op(
        f"{node}BackwardBackward0",
        name=f"{name}_backward",
        complex="as_written",
        grad_output=again,
        self=written_zeros,
    )(backward)
    padded = op(
        f"{node}Backward0",
        name=name,
        autocast=autocast,
        complex="as_written",
        jvp="auto_linear",
        vmap="folded",
        self=first,
    )(forward)
    return padded


REFLECTION = {
    n: _pair(f"reflection_pad{n}d", f"ReflectionPad{n}D", True, "fp32" if n < 3 else None) for n in (1, 2, 3)
}
REPLICATION = {n: _pair(f"replication_pad{n}d", f"ReplicationPad{n}D", False) for n in (1, 2, 3)}
