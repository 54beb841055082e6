"""unique, searchsorted, bucketize, bincount and histc."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make, wrap
from ..._autograd.undefined_gradient import undefined
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import existing_dim
from ..._c10.warn_once import warn_once
from ..kernels import half_up, need_integers
from ..registry import Array, op

# unique -------------------------------------------------------------------------------------------


def _distinct(array: Array, axis: int | None) -> tuple[Array, Array, Array]:
    kind, array = array.dtype, half_up(array)  # numpy sorts bfloat16 nan first
    if axis is None:
        values, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, equal_nan=False)
        return values.astype(kind, copy=False), inverse.reshape(array.shape), counts
    values, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, axis=axis)
    return _outermost(values.astype(kind, copy=False), axis), inverse.reshape(-1), counts


def _outermost(array: Array, axis: int) -> Array:
    """A copy in which one dimension has the largest stride."""
    return np.moveaxis(np.array(np.moveaxis(array, axis, 0), order="C"), 0, axis)


@op(
    "Unique2Backward0",
    outputs="values inverse counts",
    no_complex="unique",
    jvp="not_implemented",
    self=undefined("_unique2"),
)
def _unique2(self: Array) -> Any:
    return _distinct(self, None)


@op(
    "UniqueDimBackward0",
    outputs="values inverse counts",
    no_complex="unique_dim",
    jvp="not_implemented",
    operator="_unique",
    self=undefined("unique_dim"),
)
def _unique_dim(self: Array, dim: int) -> Any:
    axis = _slices_along(dim, self)
    if not self.shape[axis]:
        return self.copy(), np.zeros(0, np.int64), np.zeros(0, np.int64)
    return _distinct(self, axis)


def _slices_along(dim: int, array: Array) -> int:
    """The dimension whose slices are compared."""
    axis = existing_dim(dim, array.ndim)
    if any(n == 0 for i, n in enumerate(array.shape) if i != axis):
        raise RuntimeError(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
        )
    return axis


def _runs(rows: Array) -> tuple[Array, Array, Array]:
    """The start of each run of equal rows, the run of each row, and the length of each run."""
    n = rows.shape[0]
    if not n:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    new = np.ones(n, bool)
    new[1:] = (rows[1:] != rows[:-1]).any(tuple(range(1, rows.ndim)))
    first = np.flatnonzero(new)
    return first, np.cumsum(new) - 1, np.diff(np.append(first, n))


@op(
    "UniqueConsecutiveBackward0",
    name="unique_consecutive",
    outputs="values inverse counts",
    no_complex="unique",
    jvp="not_implemented",
    self=undefined("unique_consecutive"),
)
def _unique_consecutive(self: Array) -> Any:
    flat = self.reshape(-1)
    first, inverse, counts = _runs(flat)
    return flat[first], inverse.reshape(self.shape), counts


@op(
    "UniqueConsecutiveBackward0",
    outputs="values inverse counts",
    no_complex="unique_dim",
    jvp="not_implemented",
    self=undefined("unique_consecutive"),
)
def _unique_dim_consecutive(self: Array, dim: int) -> Any:
    axis = _slices_along(dim, self)
    first, inverse, counts = _runs(np.moveaxis(self, axis, 0))
    return _outermost(np.take(self, first, axis), axis), inverse, counts


def _chosen(found: tuple[Tensor, ...], return_inverse: bool, return_counts: bool) -> Any:
    parts = [found[0]] + [found[1]] * return_inverse + [found[2]] * return_counts
    return parts[0] if len(parts) == 1 else tuple(parts)


@composite(vmap="dynamic", operator="_unique2")
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Any = None,
) -> Any:
    """The sorted distinct elements (or slices)."""
    result = _unique2(input) if dim is None else _unique_dim(input, dim)
    return _chosen(result, return_inverse, return_counts)


@composite(vmap="dynamic")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """The first of each run of equal elements (or slices)."""
    result = _unique_consecutive(input) if dim is None else _unique_dim_consecutive(input, dim)
    return _chosen(result, return_inverse, return_counts)


@composite(variants="function", vmap="decompose")
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Convert flat indices to indices in each dimension of a shape."""
    need_fitting(isinstance(shape, (int, tuple, list)), "torch.unravel_index")
    sides = (shape,) if isinstance(shape, int) else tuple(shape)
    fits = indices._array.dtype.kind in "iu" and all(isinstance(each, int) and each >= 0 for each in sides)
    need_fitting(fits, "torch.unravel_index")
    steps = [math.prod(sides[axis + 1 :]) for axis in range(len(sides))]
    result = indices.unsqueeze(-1).floor_divide(make(np.array(steps))) % make(np.array(sides, np.int64))
    return tuple(result.unbind(-1))


# searchsorted, bucketize --------------------------------------------------------------------------


def _search(sequence: Array, values: Array, right: bool, int32: bool) -> Array:
    promotion = np.result_type(half_up(sequence), half_up(values))
    ordered = not values.size or (promotion.kind not in "bc" and not np.isnan(sequence).any())
    need_fitting(ordered, "torch.searchsorted")
    side = "right" if right else "left"
    kind = np.int32 if int32 else np.int64
    if sequence.ndim == 1:
        return np.asarray(np.searchsorted(sequence.astype(promotion), values.astype(promotion), side), kind)
    result = np.zeros(values.shape, kind)
    for place in np.ndindex(values.shape[:-1]):
        result[place] = np.searchsorted(sequence[place], values[place], side)
    return result


def _warn_of_copies(**tensors: Any) -> None:
    for name, text in (("input", "input value tensor"), ("boundary", "boundary tensor")):
        each = tensors[name]
        if isinstance(each, Tensor) and not each._array.flags.c_contiguous:
            contiguous = "input value" if name == "input" else name
            warn_once(
                f"torch.searchsorted(): {text} is non-contiguous, this will lower the performance due to extra data "
                f"copy when converting non-contiguous tensor to contiguous, please use contiguous {contiguous} tensor if "
                "possible. This message will only appear once per program.",
            )


@composite(variants="function", out=True)
def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Tensor | None = None) -> Tensor:  # fmt: skip
    """The indices at which values would be inserted into a sorted sequence."""
    if sorter is not None:
        raise NotImplementedError("torch.searchsorted(sorter=...)")
    need_fitting(side in ((None, "right") if right else (None, "left", "right")), "torch.searchsorted")
    sequence = sorted_sequence._array
    number = not isinstance(input, Tensor)
    values = np.asarray(input, dtypes.of_number(input).numpy) if number else input._array
    need_fitting(sequence.ndim == 1 if number else sequence.ndim, "torch.searchsorted")
    _warn_of_copies(boundary=sorted_sequence, input=input)
    fits = sequence.ndim == 1 or sequence.shape[:-1] == values.shape[:-1]
    need_fitting(fits, "torch.searchsorted")
    return wrap(_search(sequence, values, right or side == "right", out_int32))


@composite(variants="function", out=True)
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The index of the bucket between boundaries that contains each value."""
    need_fitting(boundaries._array.ndim == 1, "torch.bucketize")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


# Counts -------------------------------------------------------------------------------------------


@composite(vmap="fallback")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """The number of occurrences of each nonnegative integer, or the sum of their weights."""
    array = input._array
    need_integers("bincount_cpu", array)
    fits = minlength >= 0 and array.ndim == 1 and array.min(initial=0) >= 0
    if weights is not None and array.size:
        fits = fits and weights._array.shape == array.shape
    need_fitting(fits, "torch.bincount")
    if weights is None or not array.size:  # torch ignores the weights of an empty input
        return wrap(np.bincount(array, minlength=minlength).astype(np.int64, copy=False))
    kind = np.float32 if weights._array.dtype == np.float32 else np.float64
    return wrap(np.bincount(array, weights.to(dtypes.float64)._array, minlength).astype(kind, copy=False))


@op(
    tensors="self",
    vmap="fallback",
)
def histc(self: Array, bins: int = 100, min: Any = 0, max: Any = 0) -> Array:
    """The number of elements in each of equally wide bins."""
    need_fitting(self.dtype.kind in "fV" and bins > 0, "torch.histc")
    low, high = (float(dtypes.number_within(dtypes.F64, each)) for each in (min, max))
    if low == high and self.size:
        low, high = float(self.min()), float(self.max())
    if low == high:
        low, high = low - 1, high + 1
    need_fitting(np.isfinite(low) and np.isfinite(high) and low < high, "torch.histc")
    inside = self[(self >= low) & (self <= high)]
    low, high = self.dtype.type(low), self.dtype.type(high)
    place = np.minimum(((inside - low) / (high - low) * bins).astype(np.int64), bins - 1)
    counts = np.bincount(place, minlength=bins)
    return counts.astype(self.dtype)


PUBLIC = ("bincount", "bucketize", "histc", "searchsorted", "unique", "unique_consecutive", "unravel_index")
