"""embedding_bag: rows chosen by index and reduced per bag (torch: native/EmbeddingBag.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import undefined, unsupported
from ..._c10.errors import need_fitting
from ..._c10.slots import on_first_use
from ..kernels import add_rows
from ..registry import Array, OptionalArray, op

of_bags: Callable[..., Tensor] = on_first_use("sparse_gradient_of_bags")  # see Note [Slots]

SUM, MEAN, MAX = range(3)


def _check(weight: Array, indices: Array, offsets: Array, mode: int, weights: Array | None) -> None:
    integers = all(array.dtype in (np.int64, np.int32) for array in (indices, offsets))
    fits = integers and weight.dtype.kind in "fV"
    if fits and offsets.size:
        fits = offsets[0] == 0 and offsets[-1] <= len(indices)
    if fits and weights is not None:
        fits = mode == SUM and weights.dtype == weight.dtype and weights.size == indices.size
    need_fitting(fits and (indices >= 0).all(), "embedding_bag")


def bags_of(starts: Array, count: int) -> Array:
    """The bag of each index."""
    result: Array = np.cumsum(np.bincount(starts, minlength=count + 1))[:count] - 1
    return result


def _greatest(rows: Array, indices: Array, bags: Array, count: int) -> tuple[Array, Array]:
    """The maximum of each bag and its row in the table (the first among equal ones)."""
    result = np.zeros((count, rows.shape[1]), rows.dtype)
    places = np.zeros(result.shape, indices.dtype)
    for bag in np.unique(bags):
        inside = np.flatnonzero(bags == bag)
        first = rows[inside].argmax(0)
        result[bag] = np.take_along_axis(rows[inside], first[None], 0)[0]
        places[bag] = indices[inside][first]
    return result, places


@op(
    "EmbeddingBagBackward0",
    name="_embedding_bag",
    vmap="fallback",
    tensors="indices offsets",
    outputs="result0 result1 result2 result3", jvp="not_implemented",
    weight=lambda grads, indices, offsets, result1, result2, result3, weight_sym_argsize_0, scale_grad_by_freq, mode,
    sparse, per_sample_weights, padding_idx: _backward(
        grads[0], indices, offsets, result1, result2, result3, weight_sym_argsize_0, scale_grad_by_freq, mode, sparse,
        per_sample_weights, padding_idx,
    ),
    per_sample_weights=lambda grads, weight, indices, offsets, result1, mode, padding_idx: _weights_backward(
        grads[0], weight, indices, offsets, result1, mode, padding_idx
    ),
)  # fmt: skip
def embedding_bag(
    weight: Array, indices: Array, offsets: Array, scale_grad_by_freq: bool, mode: int, sparse: bool,
    per_sample_weights: Any = None, include_last_offset: bool = False, padding_idx: int = -1,
    weight_sym_argsize_0: int = 0,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """The sum, mean or maximum of each bag; each index's bag; the bags' sizes; where the maxima came from."""
    fast = (
        mode != MAX and weight.dtype != np.float64 and padding_idx < 0
    )  # torch has a separate kernel for this case
    _check(weight, indices, offsets, mode, per_sample_weights)
    starts = offsets[:-1] if include_last_offset else offsets
    count = len(starts)
    need_fitting(count or not (indices.size or include_last_offset), "embedding_bag")
    bags = bags_of(starts, len(indices))
    kept = indices != padding_idx
    rows, chosen, inside = weight[indices[kept]], indices[kept], bags[kept]
    sizes = np.bincount(inside, minlength=count)
    numbers = np.zeros(count, indices.dtype) if mode == SUM else sizes.astype(indices.dtype)
    if mode == MAX:
        result, places = _greatest(rows, chosen, inside, count)
        return result, bags.astype(indices.dtype), numbers, places
    exact = rows.astype(np.promote_types(rows.dtype, np.float32), copy=False)
    if per_sample_weights is not None:
        exact = exact * per_sample_weights[kept][:, None]
    result = add_rows(exact, inside, count)
    if mode == MEAN:
        result /= np.maximum(sizes, 1)[:, None]
    shown = bags[:0] if fast and mode == SUM else bags
    return result.astype(weight.dtype), shown.astype(indices.dtype), numbers, numbers.copy()


def _backward(grad: Tensor, *rest: Any) -> Tensor:
    if rest[8]:
        return of_bags(grad, *rest)
    return embedding_bag_backward(grad, *rest)


@op(
    "EmbeddingBagBackwardBackward0",
    name="_embedding_bag_backward",
    vmap="fallback",
    tensors="indices offsets offset2bag bag_size maximum_indices",
    grad=undefined("_embedding_bag_backward"),
    per_sample_weights=undefined("_embedding_bag_backward"),
)
def embedding_bag_backward(
    grad: Array, indices: Array, offsets: Array, offset2bag: Array, bag_size: Array, maximum_indices: Array,
    num_weights: int, scale_grad_by_freq: bool, mode: int, sparse: bool, per_sample_weights: OptionalArray,
    padding_idx: int = -1,
) -> Array:  # fmt: skip
    """The gradient of the weight: each bag's gradient, added to the rows of the table that are in the bag."""
    exact = np.promote_types(grad.dtype, np.float32)
    if mode == MAX:
        result = np.zeros((num_weights, grad.shape[1]), exact)
        full = np.flatnonzero(bag_size)
        columns = np.broadcast_to(np.arange(grad.shape[1]), (len(full), grad.shape[1]))
        np.add.at(result, (maximum_indices[full], columns), grad[full])
        return result.astype(grad.dtype)
    if not offset2bag.size:
        offset2bag = bags_of(offsets, len(indices))
    kept = indices != padding_idx
    each = grad[offset2bag[kept]].astype(exact, copy=False)
    if per_sample_weights is not None:
        each = each * per_sample_weights[kept][:, None]
    if mode == MEAN:
        each = each / bag_size[offset2bag[kept]][:, None]
    result = add_rows(each, indices[kept], num_weights)
    if scale_grad_by_freq:  # a bug of torch: it reads the first sorted indices instead of the unique ones
        counts = np.bincount(indices, minlength=num_weights)
        rows = np.unique(indices)
        result[rows] /= counts[np.sort(indices)[: len(rows)]][:, None]
    return result.astype(grad.dtype)


@op(
    "NotImplemented",
    name="_embedding_bag_per_sample_weights_backward",
    vmap="fallback",
    tensors="indices offsets offset2bag",
    grad=unsupported("_embedding_bag_per_sample_weights_backward"),
    weight=unsupported("_embedding_bag_per_sample_weights_backward"),
)
def _weights_backward(
    grad: Array, weight: Array, indices: Array, offsets: Array, offset2bag: Array, mode: int, padding_idx: int
) -> Array:
    """The gradient of per_sample_weights: the dot product of each index's row and its bag's gradient."""
    if not offset2bag.size:
        offset2bag = bags_of(offsets, len(indices))
    result = (grad[offset2bag] * weight[indices]).sum(1)
    return np.where(indices == padding_idx, 0, result).astype(grad.dtype)
