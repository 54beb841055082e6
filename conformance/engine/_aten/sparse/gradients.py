"""Sparse gradients: AccumulateGrad, and the formulas of embedding, embedding_bag and gather with sparse gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10.layout import Unstrided
from ..._c10.modes import state
from ..nn.embedding_bag import MEAN, bags_of
from .construction import unsafe
from .sparse_array import SparseArray, coo


def accumulated(variable: Tensor, current: Tensor | None, gradient: Tensor, alone: bool) -> Tensor:
    """The new grad of a leaf, where the leaf, its grad or the gradient is sparse.

    A first gradient is stolen, and marked as uncoalesced, if nothing else references it and its indices and values are
    contiguous; otherwise it is cloned. If a dense gradient is added to a sparse grad, the sum replaces the grad.
    """
    array: Any = gradient._array
    if current is None:
        if not isinstance(array, SparseArray):
            return gradient.detach() if alone and not state.grad_enabled else gradient.clone()
        lies = array.indices.flags.c_contiguous and array.values.flags.c_contiguous
        if alone and lies and not state.grad_enabled:
            return make(coo(array.indices, array.values, array.shape))
        return gradient.clone()
    if isinstance(current._array, Unstrided) and not isinstance(array, Unstrided):
        return gradient + current
    if state.grad_enabled:
        return current + gradient
    current.add_(gradient)
    return current


def of_embedding(grad: Tensor, indices: Tensor, rows: int, padding_idx: int, by_frequency: bool) -> Tensor:
    """The sparse gradient of an embedding's weight (rows, n): a value for each index that was looked up.

    Raises:
        RuntimeError: ``by_frequency`` (scale_grad_by_freq) is True.
    """
    if by_frequency:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    width = grad._array.shape[-1]
    if padding_idx != -1:
        kept = indices != padding_idx
        indices, grad = indices[kept], grad[kept]
    if not grad._array.size:
        empty = make(np.empty((1, 0), np.int64)), make(np.empty((0, width), grad._array.dtype))
        return unsafe(*empty, (rows, width))
    index = indices.reshape(1, -1)
    return unsafe(index.long(), grad.reshape(-1, width), (rows, width))


def of_bags(
    grad: Tensor, indices: Tensor, offsets: Tensor, offset2bag: Tensor, bag_size: Tensor, maximum_indices: Tensor,
    num_weights: int, by_frequency: bool, mode: int, sparse: bool, per_sample_weights: Any, padding_idx: int,
) -> Tensor:  # fmt: skip
    """The sparse gradient of embedding_bag's weight, in mode sum or mean: a value for each index of a bag."""
    bags = offset2bag._array if offset2bag._array.size else bags_of(offsets._array, indices._array.size)
    each = grad.index_select(0, make(bags.astype(np.int64, copy=False)))
    if mode == MEAN:
        each = each * (1 / bag_size.to(grad.dtype).unsqueeze(1).index_select(0, offset2bag))
    if per_sample_weights is not None:
        each = each * per_sample_weights.unsqueeze(1)
    return of_embedding(each, indices, num_weights, padding_idx, by_frequency)


def of_gather(grad: Tensor, self: Tensor, dim: Any, index: Tensor) -> Tensor:
    """The sparse gradient of gather's input: a value for each element that was read."""
    array, shape = index._array, self._array.shape
    if not shape:
        where = np.empty((0, grad._array.size), np.int64)
        return unsafe(make(where), grad if grad._array.ndim else grad.reshape(1), shape)
    if not grad._array.ndim:
        return unsafe(index.view(1, 1), grad.reshape(1), shape)
    places = np.indices(array.shape).reshape(array.ndim, -1)
    places[dim % len(shape)] = array.reshape(-1)
    return unsafe(make(places.astype(np.int64, copy=False)), grad.reshape(-1), shape)
