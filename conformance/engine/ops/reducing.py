"""scatter_reduce, and the gradients that it shares with index_reduce."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..creation import ones_like, zeros_like
from ..node import Error, gradient_edge, new_node
from ..rows import Array, op
from ..tensor import Tensor, make
from .gather import at_least_1d, checked, places, src_part
from .selection import where

_KERNELS = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}
_NEUTRAL = {"sum": 0, "prod": 1, "mean": 0}


def reduce_at(
    result: Array, places: tuple[Array, ...], values: Array, reduce: str, include_self: bool
) -> None:
    """Reduce values into the places of an array, its own elements counted or not, in place."""
    kind = result.dtype
    if not include_self:
        if reduce in _NEUTRAL:
            result[places] = _NEUTRAL[reduce]
        elif kind.kind == "f":
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
        result[...] = np.true_divide(result, count) if kind.kind == "f" else result // count


@op(
    "ScatterReduceBackward0",
    tensors="index",
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
    if where.size:
        target = at_least_1d(result)
        reduce_at(target, places(target, axis, where), src_part(src, where), reduce, include_self)
    return result


class _Along:
    """How scatter_reduce reads, adds, reduces and clears; index_reduce does it by whole slices."""

    name, source = "scatter_reduce", "src"

    @staticmethod
    def read(tensor: Tensor, dim: Any, index: Tensor) -> Tensor:
        return tensor.gather(dim, index)

    @staticmethod
    def add(tensor: Tensor, dim: Any, index: Tensor, values: Tensor) -> Tensor:
        return tensor.scatter_add(dim, index, values)

    @staticmethod
    def reduce(
        tensor: Tensor, dim: Any, index: Tensor, values: Tensor, reduce: str, include_self: bool
    ) -> Tensor:
        return tensor.scatter_reduce(dim, index, values, reduce, include_self=include_self)

    @staticmethod
    def clear(tensor: Tensor, dim: Any, index: Tensor) -> Tensor:
        return tensor.scatter(dim, index, 0)


_ALONG: Any = _Along()


def reduce_backward(
    how: Any,
    grad: Tensor,
    self: Tensor,
    dim: Any,
    index: Tensor,
    src: Tensor,
    reduce: str,
    include_self: bool,
    result: Tensor,
) -> tuple[Tensor, Tensor]:
    """The gradients of scatter_reduce and index_reduce; ties share an extreme's gradient evenly."""
    if reduce == "sum":
        to_self, to_src = grad, how.read(grad, dim, index)
    elif reduce == "prod":
        masked = self.masked_fill(self == 0, 1)
        to_self = grad * how.reduce(masked, dim, index, src, reduce, include_self) / masked
        to_src = _prod_src(how, grad, self, dim, index, src, include_self, result)
    elif reduce == "mean":
        count = ones_like(grad) if include_self else zeros_like(grad)
        count = how.add(count, dim, index, ones_like(src))
        count.masked_fill_(count == 0, 1)
        to_self = grad / count
        to_src = how.read(grad, dim, index) / how.read(count, dim, index)
    else:
        mine = (self == result).to(self.dtype)
        theirs = (src == how.read(result, dim, index)).to(self.dtype)
        shared = grad / how.add(mine, dim, index, theirs)
        to_self = mine * shared
        to_src = theirs * how.read(shared, dim, index)
    return (to_self if include_self else how.clear(to_self, dim, index)), to_src


def _prod_src(
    how: Any,
    grad: Tensor,
    self: Tensor,
    dim: Any,
    index: Tensor,
    src: Tensor,
    include_self: bool,
    result: Tensor,
) -> Tensor:
    zero = src == 0
    zeros = how.read(how.add(zeros_like(self), dim, index, zero.to(self.dtype)), dim, index)
    single = zero.logical_and(zeros == 1)
    without = how.reduce(self, dim, index, src.masked_fill(single, 1), "prod", include_self)
    at_zero = how.read(grad * without, dim, index)
    elsewhere = how.read(grad * result, dim, index) / src.masked_fill(zero, 1)
    found: Tensor = where(single, at_zero, elsewhere)
    if (zeros > 1).any().item():
        message = (
            f"{how.name}(): Double backward is unsupported for {how.source} when >1 zeros in {how.source} are "
            "scattered "
            "to the same position in self"
        )
        return delayed_error(found, message)
    return found


def delayed_error(tensor: Tensor, message: str) -> Tensor:
    """The same values; whoever differentiates through them gets the message."""
    result = make(tensor._array)
    if tensor.requires_grad:
        node = new_node(Error)
        node.message = message
        node.next_edges = (gradient_edge(tensor),)
        node.input_metadata = ((tensor._array.shape, tensor._array.dtype),)
        result._grad_fn, result._requires_grad = node, True
    return result


PUBLIC = ("scatter_reduce",)
