"""pairwise_distance, cosine_similarity and normalize."""

from __future__ import annotations

from typing import Any

from .._aten.pointwise.arithmetic import div
from .._aten.reduction.norm import norm_along
from .._aten.scalar_operands import plus
from .._autograd.tensor import Tensor
from .._c10.dtypes import promote_types
from .._c10.errors import need_fitting
from .._c10.modes import no_grad
from .._c10.operator_facts import composite
from .._c10.shapes import broadcast_shapes


@composite(vmap="decompose")
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension."""
    dim = max(x1.dim(), x2.dim()) - 1
    return norm_along(plus(x1 - x2, float(eps)), float(p), (dim,), keepdim)


@composite(vmap="decompose")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dimension."""
    kind = promote_types(x1.dtype, x2.dtype)
    need_fitting(eps >= 0 and kind.is_floating_point, "cosine_similarity")
    a, b = (each if each.is_floating_point() else each.to(kind) for each in (x1, x2))
    if a._array.shape != b._array.shape:
        shape = broadcast_shapes(a._array.shape, b._array.shape)
        right = b.expand(shape)  # evaluated first, see Note [Right operands first]
        a, b = a.expand(shape), right
    lengths = [each.norm(2, dim, keepdim=True).clone() for each in (a, b)]
    with no_grad():
        for each in lengths:
            each.clamp_min_(eps)
    second = b / lengths[1]
    return ((a / lengths[0]) * second).sum(dim)


@composite(vmap="decompose")
def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None) -> Tensor:
    """Vectors along a dimension, divided by their p-norm."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return div(input, length, out=out)
