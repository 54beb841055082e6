"""weight_norm: a weight as magnitude times direction (torch: native/WeightNorm.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.operator_facts import composite
from ..reduction.norm import norm_along, norm_of_all
from ..registry import Array, op


@composite(vmap="fallback")
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norms over all dimensions except ``dim``; -1 means over all of them."""
    if dim == -1:
        return norm_of_all(v, pow)
    shape = [1] * v.dim()
    if dim == 0:
        shape[0] = v.size(0)
        return norm_along(v.contiguous().view((v.size(0), -1)), pow, (1,)).view(shape)
    if dim == v.dim() - 1:
        shape[-1] = v.size(-1)
        return norm_along(v.contiguous().view((-1, v.size(-1))), pow, (0,)).view(shape)
    return norm_except_dim(v.transpose(0, dim), pow).transpose(0, dim)


def weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """v scaled so that its norms over all dimensions except ``dim`` are g."""
    if dim in (0, v.dim() - 1):
        return _weight_norm_interface(v.contiguous(), g.contiguous(), dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))


def _gradients(grads: Any, v: Tensor, g: Tensor, dim: int, result1: Tensor) -> Any:
    grad = grads[0]
    if grad is None:
        return [None, None]
    shape = [1] * v.dim()
    shape[dim] = v.size(dim)
    product = grad * v
    if dim == 0:
        sums = product.view((v.size(0), -1)).sum(1).view(shape)
    else:
        sums = product.view((-1, v.size(-1))).sum(0).view(shape)
    norms = result1.view(shape)
    return [(g / norms) * (grad - v * (sums / (norms * norms))), sums / norms]


@op(
    "WeightNormInterfaceBackward0",
    outputs="result0 result1",
    constants="result1",
    jvp="not_implemented",
    vmap="fallback",
    inputs={"v g": _gradients},
)
def _weight_norm_interface(v: Array, g: Array, dim: int = 0) -> Any:
    """The weights and the norms of v."""
    others = tuple(number for number in range(v.ndim) if number != dim)
    norms = np.sqrt((v * v).sum(others, keepdims=True, dtype=np.float64)).astype(v.dtype)
    return [v * (g / norms), norms]
