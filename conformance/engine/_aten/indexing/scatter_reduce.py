"""scatter_reduce, and the backward formula that it shares with index_reduce."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.errors import unimplemented
from ..._c10.modes import state
from ..._c10.slots import on_first_use
from ..creation.factories import ones_like, zeros_like
from ..kernels import refuse_bools
from ..pointwise.where_clamp import where
from ..registry import Array, op
from .gather_scatter import at_least_1d, checked, flat_places, src_part

delayed_error: Callable[..., Any] = on_first_use("delayed_error")  # see Note [Slots]

_KERNELS = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}
_NEUTRAL = {"sum": 0, "prod": 1, "mean": 0}


def reduce_at(
    result: Array,
    places: Array,
    values: Array,
    reduce: str,
    include_self: bool,
) -> None:
    """Reduce values into an array along its first dimension, in place, with or without its own elements (include_self)."""
    kind = result.dtype
    if not include_self:
        if reduce in _NEUTRAL:
            result[places] = _NEUTRAL[reduce]
        elif kind.kind in "fV":
            result[places] = -np.inf if reduce == "amax" else np.inf
        elif kind.kind == "b":
            result[places] = reduce == "amin"
        else:
            limits = np.iinfo(kind)
            result[places] = limits.min if reduce == "amax" else limits.max
    _KERNELS[reduce].at(result, places, values)
    if reduce == "mean":
        count = np.ones(result.shape, np.int64) if include_self else np.zeros(result.shape, np.int64)
        np.add.at(count, places, 1)
        count[count == 0] = 1
        result[...] = np.true_divide(result, count) if kind.kind in "fcV" else result // count


@op(
    "ScatterReduceBackward0",
    tensors="index",
    overload="two",
    vmap="scatter",
    overlap="refuse_inputs",
    inplace="method",
    vmap_unbatched="by_name",
    inputs={
        "self src": lambda grad, self, dim, index, src, reduce, include_self, result: reduce_backward(
            _ALONG, grad, self, dim, index, src, reduce, include_self, result
        )
    },
)
def scatter_reduce(
    self: Array, dim: Any, index: Array, src: Array, reduce: str, *, include_self: bool = True
) -> Array:
    """A copy with src reduced into it where the index says along a dimension."""
    if reduce not in _KERNELS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    axis, where = checked("scatter_reduce", self, dim, index, src)
    result = self.copy("C")
    if reduce == "mean":
        refuse_bools("scatter_gather_tensor_cpu_reduce_mean" if where.size else "div_floor_cpu", self)
    if where.size:
        if reduce in ("amax", "amin") and self.dtype.kind == "c":
            raise unimplemented(f"scatter_gather_tensor_cpu_reduce_{reduce}", self.dtype)
        flat = flat_places(at_least_1d(result).shape, axis, where, where.shape).ravel()
        values = np.ascontiguousarray(src_part(src, where)).ravel()
        reduce_at(result.ravel(), flat, values, reduce, include_self)
    return result


class Places(NamedTuple):
    """The methods of Tensor that read, fill, add to and reduce into the elements that an index selects."""

    read: str
    fill: str
    add: str
    reduce: str
    source: str  # the operation's parameter name for the values that are reduced
    casts: bool  # whether the mask of minima or maxima is cast before it is multiplied

    def of(self, tensor: Tensor, dim: Any, index: Tensor) -> Tensor:
        """The selected elements."""
        return getattr(tensor, self.read)(dim, index)

    def added(self, tensor: Tensor, dim: Any, index: Tensor, values: Tensor) -> Tensor:
        """The tensor with values added to the selected elements."""
        return getattr(tensor, self.add)(dim, index, values)


_ALONG: Any = Places("gather", "scatter", "scatter_add", "scatter_reduce", "src", False)


def reduce_backward(
    how: Places, grad: Tensor, self: Tensor, dim: Any, index: Tensor, src: Tensor, reduce: str,
    include_self: bool, result: Tensor,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The gradients of scatter_reduce and index_reduce; for amin and amax, ties share the gradient evenly."""
    if reduce == "sum":
        to_self, to_src = grad, how.of(grad, dim, index)
    elif reduce == "prod":
        masked = self.masked_fill(self == 0, 1)
        to_self = (
            grad * getattr(masked, how.reduce)(dim, index, src, reduce, include_self=include_self) / masked
        )
        to_src = _prod_src(how, grad, self, dim, index, src, include_self, result)
    elif reduce == "mean":
        count = ones_like(grad) if include_self else zeros_like(grad)
        count = how.added(count, dim, index, ones_like(src))
        count.masked_fill_(count == 0, 1)
        to_self = grad / count
        to_src = how.of(grad, dim, index) / how.of(count, dim, index)
    else:
        mine, theirs = self == result, src == how.of(result, dim, index)
        as_numbers = mine.to(self.dtype), theirs.to(self.dtype)
        shared = grad / how.added(as_numbers[0], dim, index, as_numbers[1])
        if how.casts:
            mine, theirs = as_numbers
        to_self, to_src = mine * shared, theirs * how.of(shared, dim, index)
    return (to_self if include_self else getattr(to_self, how.fill)(dim, index, 0)), to_src


def _prod_src(
    how: Places, grad: Tensor, self: Tensor, dim: Any, index: Tensor, src: Tensor, include_self: bool, result: Tensor
) -> Tensor:  # fmt: skip
    zero = src == 0
    zeros = how.of(how.added(zeros_like(self), dim, index, zero.to(self.dtype)), dim, index)
    single = zero.logical_and(zeros == 1)
    without = getattr(self, how.reduce)(
        dim, index, src.masked_fill(single, 1), "prod", include_self=include_self
    )
    nonzero = src.masked_fill(zero, 1)  # here and below: see Note [Right operands first]
    elsewhere = how.of(grad * result, dim, index) / nonzero
    at_zero = how.of(grad * without, dim, index)
    found: Tensor = where(single, at_zero, elsewhere)
    if state.grad_enabled and (zeros > 1).any().item():
        message = (
            f"{how.reduce}(): Double backward is unsupported for {how.source} when >1 zeros in {how.source} are "
            "scattered to the same position in self"
        )
        (found,) = delayed_error(message, (found,))
    return found


PUBLIC = ("scatter_reduce",)
