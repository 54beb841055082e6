"""torch.segment_reduce: reduce each segment of a dimension to one element (torch: native/SegmentReduce.cpp)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import unsupported
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import wrap_dim
from ..kernels import need_floats
from ..registry import Array, op

PUBLIC = ("segment_reduce",)

_STEPS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
_NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}
_REDUCTIONS = {**{name: name for name in _STEPS}, "amax": "max", "amin": "min"}


def _ends(data: Array, lengths: Array | None, offsets: Array | None, axis: int, unsafe: bool) -> Array:
    """The offsets of the segments along the last dimension."""
    given = lengths if offsets is None else offsets
    assert given is not None
    fits = data.ndim >= given.ndim and axis == given.ndim - 1 and (offsets is None or given.shape[-1] > 0)
    if fits and offsets is None and not unsafe:
        fits = given.size and given.min() >= 0 and (given.sum(-1) == data.shape[axis]).all()
    need_fitting(fits and given.dtype in (np.int64, np.int32), "segment_reduce")
    if offsets is not None:
        return given
    ends = np.zeros((*given.shape[:-1], given.shape[-1] + 1), np.int64)
    np.cumsum(given, -1, out=ends[..., 1:])
    return ends


def _pieces(ends: Array) -> Iterator[tuple[tuple[int, ...], slice]]:
    """The index of each result, and the slice of its segment."""
    for place in np.ndindex(*ends.shape[:-1], ends.shape[-1] - 1):
        *outer, i = place
        yield place, slice(int(ends[(*outer, i)]), int(ends[(*outer, i + 1)]))


def _backward(
    grad: Tensor,
    result: Tensor,
    data: Tensor,
    reduce: str,
    lengths: Any,
    offsets: Any,
    axis: int,
    initial: Any,
) -> Tensor:
    of_lengths, of_offsets = (None if each is None else each._array for each in (lengths, offsets))
    ends = _ends(data._array, of_lengths, of_offsets, axis % max(data._array.ndim, 1), True)
    found: Tensor = _reduce_backward(grad, result, data, _REDUCTIONS[reduce], ends, axis, initial)
    return found


@op(
    "SegmentReduceBackward0",
    name="segment_reduce",
    tensors="lengths indices offsets",
    jvp="not_implemented",
    vmap="fallback",
    refuses_index_grad=True,
    data=_backward,
)
def _reduce(
    data: Array,
    reduce: str,
    *,
    lengths: Any = None,
    indices: Any = None,
    offsets: Any = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Array:
    axis = wrap_dim(axis, data.ndim)
    fits = indices is None and not (lengths is None and offsets is None) and reduce in _REDUCTIONS
    need_fitting(fits, "segment_reduce")
    reduce = _REDUCTIONS[reduce]
    ends = _ends(data, lengths, offsets, axis, unsafe)
    need_floats("_segment_reduce_cpu", data)
    step, first = _STEPS[reduce], _NEUTRAL[reduce] if initial is None else initial
    found = np.full((*ends.shape[:-1], ends.shape[-1] - 1, *data.shape[axis + 1 :]), first, data.dtype)
    for place, piece in _pieces(ends):
        for each in data[place[:-1]][piece]:
            found[place] = step(found[place], each)
        count = piece.stop - piece.start
        if reduce == "mean" and (count or initial is None):
            found[place] /= count
    return found


@op(
    "NotImplemented",
    name="_segment_reduce_backward",
    vmap="fallback",
    inputs=dict.fromkeys(("grad", "output", "data"), unsupported("_segment_reduce_backward")),
)
def _reduce_backward(
    grad: Array, output: Array, data: Array, reduce: str, ends: Any, axis: int, initial: Any
) -> Array:
    """The gradient of the data; for max and min, torch divides only positive gradients by the number of ties."""
    result = np.zeros(data.shape, data.dtype)
    for place, piece in _pieces(ends):
        given, values, into = grad[place], data[place[:-1]][piece], result[place[:-1]][piece]
        if reduce in ("max", "min"):
            chosen = np.isnan(values) | (values == output[place])
            into[...] = np.where(chosen, given, 0)
            into /= np.where(into > 0, np.maximum(chosen.sum(0), 1), 1).astype(data.dtype)
        elif reduce == "prod":
            into[...] = given * output[place] / values
            for k in np.flatnonzero((np.isnan(values) | (values == 0)).any(tuple(range(1, values.ndim)))):
                others = np.delete(values, k, 0)
                first = np.full(given.shape, 1 if initial is None else initial, data.dtype)
                rest = given * np.multiply.reduce(np.concatenate([first[None], others]))
                into[k] = np.where(np.isnan(values[k]) | (values[k] == 0), rest, into[k])
        else:
            into[...] = given / len(values) if reduce == "mean" and len(values) else given
    return result


@composite(variants="function", vmap="fallback")
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Tensor:
    """torch.segment_reduce: reduce data (*, n, *) by lengths (*, k) or offsets (*, k + 1) to (*, k, *).

    Args:
        reduce: "sum", "mean", "prod", "max" or "min".
        offsets: the start of each segment, and the end of the last one; they have precedence over lengths.
        unsafe: whether to skip the checks of lengths.
        initial: the initial value of each segment, which a mean does not count as an element.

    Raises:
        RuntimeError: lengths or offsets do not match the data or are missing, or the reduction is unknown.
        NotImplementedError: the data has an integer dtype.
    """
    first = initial.item() if isinstance(initial, Tensor) else initial
    result: Tensor = _reduce(
        data,
        reduce,
        lengths=lengths,
        indices=indices,
        offsets=offsets,
        axis=axis,
        unsafe=unsafe,
        initial=first,
    )
    return result
