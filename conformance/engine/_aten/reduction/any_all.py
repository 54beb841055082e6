"""all, any and count_nonzero."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.operator_facts import composite
from ..._c10.shapes import wrap_dims
from ..registry import Array, op
from .sum_mean_prod import axes_of, dims


def _truth(name: str, function: Any, text: str) -> Any:
    def forward(self: Array, dim: Any = None, keepdim: bool = False) -> Array:
        axes = tuple(range(self.ndim)) if dim is None else wrap_dims(dim, self.ndim)[: self.ndim]
        kind = np.uint8 if self.dtype == np.uint8 else np.bool_
        return np.asarray(function.reduce(self, axis=axes, dtype=np.bool_, keepdims=keepdim)).astype(
            kind, copy=False
        )

    forward.__name__ = name
    row = op(
        tensors="self",
        overload="default dim",
        vmap="reduction_dim",
        kernel_writes=1,
    )(forward)

    @composite(vmap="decompose", out=True)
    def reduce(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        return row(input, dims(dim), keepdim)

    reduce.__name__, reduce.__doc__ = name, text
    return reduce


all = _truth("all", np.logical_and, "Whether every element is nonzero.")
any = _truth("any", np.logical_or, "Whether some element is nonzero.")


@op(name="count_nonzero", tensors="self", vmap="reduction_dims", contiguous_result=True)
def _count_nonzero(self: Array, dim: object = None) -> Array:
    return np.asarray(np.count_nonzero(self, axes_of(dim, self.ndim)), np.int64)


@composite(vmap="decompose")
def count_nonzero(input: Tensor, dim: object = None) -> Tensor:
    """The number of nonzero elements."""
    return _count_nonzero(input, dims(dim))


PUBLIC = ("all", "any", "count_nonzero")
