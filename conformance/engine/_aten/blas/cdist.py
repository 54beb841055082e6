"""cdist and pdist: p-norm distances of the rows of matrices (torch: native/Distance.cpp)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._arguments.argument_errors import check_tensors
from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import undefined
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import broadcast_shapes
from ..reduction.norm import norm_array
from ..registry import Array, op
from .blas import product


def _pairs_backward(away: Array, grad: Array, distance: Array, p: float) -> Array:
    """What each coordinate's difference contributes to its distance, times the gradient."""
    size = np.abs(away)
    if p == 0:
        return np.zeros(away.shape, away.dtype)
    if p == 1:
        return grad * np.sign(away)
    if p == 2:
        return np.where(distance == 0, 0, grad * away / distance)
    if math.isinf(p):
        return grad * np.sign(away) * (1 - np.minimum(1, np.ceil(np.abs(size - distance))))
    scale = grad / np.power(distance, p - 1)
    if p < 2:
        none = (distance == 0) | ((away == 0) if p < 1 else False)
        return np.where(none, 0, np.sign(away) * np.power(size, p - 1) * scale)
    return np.where(distance == 0, 0, away * np.power(size, p - 2) * scale)


_no_cdist, _no_pdist = undefined("_cdist_backward"), undefined("_pdist_backward")


def _of_second(grad: Tensor, x1: Tensor, x2: Tensor, p: float, result: Tensor) -> Tensor:
    turned = result.mT.contiguous()  # see Note [Right operands first]
    return _cdist_backward(grad.mT.contiguous(), x2, x1, p, turned)


@op(
    "CdistBackward0",
    jvp="not_implemented",
    schema_args=lambda *args: ((*args, None), {}),
    x1=lambda grad, x1, x2, p, result: _cdist_backward(grad.contiguous(), x1, x2, p, result),
    x2=_of_second,
)
def _cdist_forward(x1: Array, x2: Array, p: Any) -> Array:
    away = x1[..., :, None, :] - x2[..., None, :, :]
    if not away.size:
        return np.zeros(away.shape[:-1], away.dtype)
    if p == math.inf:  # a nan is not above any number
        return np.asarray(np.fmax.reduce(np.abs(away), axis=-1, initial=0))
    return np.ascontiguousarray(_lengths(away, p))


@op(
    "CdistBackwardBackward0",
    grad_=_no_cdist,
    x1=_no_cdist,
    x2=_no_cdist,
    cdist=_no_cdist,
)
def _cdist_backward(grad_: Array, x1: Array, x2: Array, p: Any, cdist: Array) -> Array:
    away = x1[..., :, None, :] - x2[..., None, :, :]
    if not away.size:
        return np.zeros_like(x1)
    return (
        _pairs_backward(away, grad_[..., None], cdist[..., None], p)
        .sum(-2)
        .astype(grad_.dtype, order="C", copy=False)
    )


def _euclidean_backward(grad: Tensor, x1: Tensor, x2: Tensor, result: Tensor) -> tuple[Tensor, Tensor]:
    ratio = grad / result
    ratio.masked_fill_(result == 0, 0)
    second = ratio.matmul(x2)  # here and below: see Note [Right operands first]
    of_x1 = x1 * ratio.sum(-1, True) - second
    second = ratio.mT.matmul(x1)
    return of_x1, x2 * ratio.sum(-2, False).unsqueeze(-1) - second


@op(
    "EuclideanDistBackward0",
    jvp="not_implemented",
    inputs={"x1 x2": _euclidean_backward},
)
def _euclidean_dist(x1: Array, x2: Array) -> Array:
    lengths = [np.add.reduce(each * each, axis=-1, keepdims=True) for each in (x1, x2)]
    ones = [np.ones_like(each) for each in lengths]
    left = np.concatenate([x1 * -2, lengths[0], ones[0]], -1)
    right = np.concatenate([x2, ones[1], lengths[1]], -1)
    return np.sqrt(np.maximum(product(left, np.swapaxes(right, -1, -2)), x1.dtype.type(0)))


_MODES = {
    "use_mm_for_euclid_dist_if_necessary": 0,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}


@composite(variants="function", vmap="decompose", autocast="fp32")
def cdist(
    x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """The distance of each row of x1 from each row of x2."""
    check_tensors("cdist", x1=x1, x2=x2)
    a, b = x1._array, x2._array
    fits = a.shape[-1] == b.shape[-1] and a.dtype == b.dtype and a.dtype in dtypes.FULL_PRECISION
    need_fitting(fits and p >= 0, "torch.cdist")
    mode = _MODES[compute_mode]
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    count = int(np.prod(batch))
    shape = (*batch, a.shape[-2], b.shape[-2])
    by_product = p == 2 and (mode == 1 or (mode == 0 and max(a.shape[-2], b.shape[-2]) > 25))
    if not by_product or not np.prod(shape) or not a.shape[-1]:
        return _cdist_forward(x1, x2, float(p))
    if count != 1:
        x1, x2 = (
            each.expand((*batch, *each._array.shape[-2:])).contiguous().view((count, *each._array.shape[-2:]))
            for each in (x1, x2)
        )
    return _euclidean_dist(x1, x2).view(shape)


@op(
    "PdistBackward0",
    vmap="fallback",
    jvp="not_implemented",
    self=lambda grad, self, p, result: _pdist_backward(grad, self, p, result),
)
def _pdist_forward(self: Array, p: Any = 2.0) -> Array:
    first, second = np.triu_indices(self.shape[0], 1)
    if not self.shape[1]:
        return np.zeros(first.size, self.dtype)
    return _lengths(self[first] - self[second], p)


def _lengths(away: Array, p: float) -> Array:
    """The p-norms of the rows; for p = 0 a nan makes the result nan, unlike in vector_norm."""
    if p == 0:
        return np.asarray(np.minimum(np.ceil(np.abs(away)), 1).sum(-1, dtype=away.dtype))
    return norm_array(away, p, (-1,), False)


@op(
    "PdistBackwardBackward0",
    vmap="fallback",
    grad_=_no_pdist,
    self=_no_pdist,
    pdist=_no_pdist,
)
def _pdist_backward(grad_: Array, self: Array, p: Any, pdist: Array) -> Array:
    first, second = np.triu_indices(self.shape[0], 1)
    result = np.zeros(self.shape, self.dtype)
    part = _pairs_backward(self[first] - self[second], grad_[:, None], pdist[:, None], p)
    np.add.at(result, first, part)
    np.subtract.at(result, second, part)
    return result


@composite(variants="function", vmap="fallback")
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances of all pairs of rows."""
    array = input._array
    need_fitting(array.ndim == 2 and array.dtype in dtypes.FULL_PRECISION and p >= 0, "torch.pdist")
    return _pdist_forward(input.contiguous(), float(p))


PUBLIC = ("cdist", "pdist")
