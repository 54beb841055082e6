"""embedding, _trilinear, pixel_shuffle and channel_shuffle (torch: native/Embedding.cpp, Linear.cpp)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import undefined
from ..._c10.dtypes import BY_NUMPY
from ..._c10.errors import need_fitting, tensor_type
from ..._c10.layout import following
from ..._c10.operator_facts import without_defaults
from ..._c10.shapes import ordered
from ..._c10.slots import on_first_use
from ..inplace import run_inplace
from ..kernels import add_rows, half_up, refuse_bools
from ..reduction.norm import need_norm
from ..registry import ROWS, Array, op

of_embedding: Callable[..., Tensor] = on_first_use("sparse_gradient_of_embedding")  # see Note [Slots]

PUBLIC = ()
Ints = tuple[int, ...]

# Rows of a table ----------------------------------------------------------------------------------


def _check_kind(indices: Array, name: str, place: int = 1) -> None:
    if indices.dtype not in (np.int64, np.int32):
        kind = tensor_type(BY_NUMPY[indices.dtype])
        raise RuntimeError(
            f"Expected tensor for argument #{place} 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{kind} instead (while checking arguments for {name})"
        )


def _check_indices(indices: Array, rows: int) -> None:
    _check_kind(indices, "embedding")
    if indices.size and (indices.min() < 0 or indices.max() >= rows):
        raise IndexError("index out of range in self")


@op(
    "EmbeddingBackward0",
    tensors="indices",
    jvp="auto_linear",
    schema_args=lambda *args: (without_defaults((-1, False, False), args[:5]), {}),
    weight=lambda grad, indices, padding_idx, scale_grad_by_freq, sparse, weight_sym_argsize_0: _backward(
        grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq, sparse
    ),
)
def embedding(
    weight: Array,
    indices: Array,
    padding_idx: int,
    scale_grad_by_freq: bool,
    sparse: bool,
    weight_sym_argsize_0: int,
) -> Array:
    """The rows of ``weight`` at the given indices."""
    need_fitting(weight.ndim == 2, "embedding")
    _check_indices(indices, len(weight))
    return weight[indices]


def _backward(
    grad: Tensor, indices: Tensor, rows: int, padding_idx: int, by_frequency: bool, sparse: bool
) -> Tensor:
    if sparse:
        return of_embedding(grad, indices, rows, padding_idx, by_frequency)
    return embedding_dense_backward(grad, indices, rows, padding_idx, by_frequency)


def _chosen(grad: Tensor, indices: Tensor, padding_idx: int) -> Tensor:
    result = grad.index_select(0, indices.reshape(-1))
    if padding_idx >= 0:
        result.masked_fill_((indices == padding_idx).reshape(-1, 1), 0)
    return result.view(*indices._array.shape, -1)


@op(
    "EmbeddingDenseBackwardBackward0",
    tensors="indices",
    jvp="auto_linear",
    grad_output=_chosen,
)
def embedding_dense_backward(
    grad_output: Array, indices: Array, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Array:
    """The gradient of the weight: each output row's gradient, added to the row that it was read from."""
    flat = indices.ravel()
    grads = grad_output.reshape(flat.size, grad_output.shape[-1])
    if padding_idx >= 0:
        kept = flat != padding_idx
        flat, grads = flat[kept], grads[kept]
    result = add_rows(grads, flat, num_weights)
    if scale_grad_by_freq:
        result /= np.maximum(np.bincount(flat, minlength=num_weights), 1)[:, None]
    return result


@op(
    "EmbeddingRenormBackward0",
    name="embedding_renorm",
    tensors="indices",
    jvp="not_implemented",
    self=undefined("embedding_renorm"),
)
def _renormalized(self: Array, indices: Array, max_norm: float, norm_type: float) -> Array:
    """The rows at the given indices, scaled down to a norm of at most ``max_norm``."""
    _check_kind(indices, "embedding_renorm_", 2)
    need_fitting(self.ndim == 2, "embedding_renorm_")
    rows = np.unique(indices)
    if rows.size:
        need_norm(self)
    result = self.copy()
    exact = np.linalg.norm(self[rows].astype(np.result_type(self, np.float64)), norm_type, axis=1)
    lengths = exact.astype(self.real.dtype).astype(np.float64)  # as precise as the table
    long = lengths > max_norm
    result[rows[long]] *= (max_norm / (lengths[long] + 1e-7)).astype(self.real.dtype)[:, None]
    return result


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """torch.embedding_renorm_: scale down rows of a table (n, m) in place to a norm of at most ``max_norm``.

    Raises:
        RuntimeError: the indices have a wrong dtype.
        NotImplementedError: the table is not a matrix.
    """
    return run_inplace(ROWS["embedding_renorm"], [input, indices, max_norm, norm_type])


# Products of three --------------------------------------------------------------------------------


def _letters(ndim: int, absent: Ints) -> str:
    return "".join(chr(ord("a") + axis) for axis in range(ndim) if axis not in absent)


def _trilinear_backward(
    grad: Tensor, i1: Tensor, i2: Tensor, i3: Tensor, expand1: Ints, expand2: Ints, expand3: Ints, sumdim: Ints,
    needed: Any,
) -> list[Any]:  # fmt: skip
    return [
        trilinear(grad, i2, i3, sumdim, expand2, expand3, expand1) if needed[0] else None,
        trilinear(i1, grad, i3, expand1, sumdim, expand3, expand2) if needed[1] else None,
        trilinear(i1, i2, grad, expand1, expand2, sumdim, expand3) if needed[2] else None,
    ]


@op(
    "TrilinearBackward0",
    jvp="multilinear",
    tangent_writes=0,
    operator="_trilinear",
    vmap="fallback",
    inputs={"i1 i2 i3": _trilinear_backward},
)
def trilinear(
    i1: Array, i2: Array, i3: Array, expand1: Ints, expand2: Ints, expand3: Ints, sumdim: Ints
) -> Array:
    """Unsqueeze three tensors at ``expand1`` to ``expand3``, multiply them, and sum over ``sumdim``."""
    ndim = i1.ndim + len(expand1)
    need_fitting(i1.dtype == i2.dtype == i3.dtype, "_trilinear")
    refuse_bools("bmm", i1)
    a, b, c = (_letters(ndim, each) for each in (expand1, expand2, expand3))
    exact = [half_up(each) for each in (i1, i2, i3)]
    kept = _letters(ndim, sumdim)
    result = np.einsum(f"{a},{b},{c}->{kept}", *exact, optimize=True)
    return ordered(result.astype(i1.dtype, copy=False))


# Channels and space -------------------------------------------------------------------------------


@op(
    "PixelShuffleBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="folded",
    self=lambda grad, upscale_factor: pixel_unshuffle(grad, upscale_factor),
)
def pixel_shuffle(self: Array, upscale_factor: int) -> Array:
    """Move channels into space: the image becomes ``upscale_factor`` times as wide and high."""
    r = upscale_factor
    need_fitting(self.shape[-3] % (r * r) == 0, "pixel_shuffle")
    *lead, c, h, w = self.shape
    n = len(lead)
    parts = self.reshape(*lead, c // (r * r), r, r, h, w)
    moved = parts.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return following(moved.copy().reshape(*lead, c // (r * r), h * r, w * r), self)


@op(
    "PixelUnshuffleBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="folded",
    self=lambda grad, downscale_factor: pixel_shuffle(grad, downscale_factor),
)
def pixel_unshuffle(self: Array, downscale_factor: int) -> Array:
    """Move space into channels: the inverse of pixel_shuffle."""
    r = downscale_factor
    need_fitting(r > 0, "pixel_unshuffle")
    *lead, c, h, w = self.shape
    need_fitting(h % r == w % r == 0, "pixel_unshuffle")
    if not self.size:  # torch skips the checks of an empty input
        return self.copy()
    k = len(lead)
    parts = self.reshape(*lead, c, h // r, r, w // r, r)
    moved = parts.transpose(*range(k), k, k + 2, k + 4, k + 1, k + 3)
    return following(moved.copy().reshape(*lead, c * r * r, h // r, w // r), self)


@op(
    "ChannelShuffleBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="folded",
    self=lambda grad, groups: channel_shuffle(grad, grad._array.shape[1] // groups),
)
def channel_shuffle(self: Array, groups: int) -> Array:
    """Interleave the channels of the groups."""
    need_fitting(self.ndim >= 3 and self.shape[1] % groups == 0, "channel_shuffle")
    n, c = self.shape[:2]
    parts = self.reshape(n, groups, c // groups, math.prod(self.shape[2:])).transpose(0, 2, 1, 3)
    return following(parts.copy().reshape(self.shape), self)
