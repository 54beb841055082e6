"""embedding, one_hot, bilinear and the shuffles of channels, with their argument checks."""

from __future__ import annotations

import numpy as np

from .._aten.blas.cdist import pdist  # noqa: F401  torch.nn.functional has it, too
from .._aten.nn import embedding as ops
from .._autograd.tensor import Tensor, wrap
from .._autograd.views import increment_version
from .._c10.dtypes import c_name
from .._c10.operator_facts import composite
from .._c10.shapes import existing_dim


@composite(vmap="decompose")
def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of the weight at the input's indices."""
    if not weight._array.ndim and (padding_idx is not None or weight.requires_grad):
        existing_dim(0, weight._array.ndim)
    rows = weight._array.shape[0] if weight._array.ndim else 0
    if padding_idx is None:
        padding_idx = -1
    elif not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += rows
    if max_norm is not None:
        ops.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    return ops.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse, rows)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A vector of zeros with a 1 at the index of each class."""
    array = tensor._array
    if array.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not array.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return wrap(np.zeros((*array.shape, num_classes), np.int64))
    if array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(array.max()) + 1
    elif array.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    found = wrap((array[..., None] == np.arange(num_classes)).astype(np.int64, order="C"))
    for _ in ("zeros", "ones scattered into them"):
        increment_version(found)
    return found


@composite(vmap="fallback")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1 @ weight @ input2.T + bias, for each output."""
    tensors = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    kinds = {name: c_name(each._array.dtype) for name, each in tensors.items() if each is not None}
    if len(set(kinds.values())) > 1:
        got = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {got}")
    a, b, w = input1._array.shape, input2._array.shape, weight._array.shape
    for axis in (1, 2):
        existing_dim(axis, len(w))
    if a[:-1] != b[:-1] or len(a) != len(b):
        raise RuntimeError(f"bilinear(): input batch dimensions do not match: got {a[:-1]} and {b[:-1]}")
    existing_dim(-1, len(a))
    if (a[-1], b[-1]) != w[1:] or (bias is not None and bias._array.shape[0] != w[0]):
        raise RuntimeError(f"bilinear(): input or bias sizes do not match weight size {list(w)}")
    flat1, flat2 = input1.reshape(-1, a[-1]), input2.reshape(-1, b[-1])
    found = ops.trilinear(flat1, weight, flat2, (1, 3), (0,), (1, 2), (2, 3)).reshape(*a[:-1], w[0])
    return found if bias is None else found + bias


@composite(vmap="decompose")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Rearrange channels into an image ``upscale_factor`` times as wide and high."""
    return ops.pixel_shuffle(input, upscale_factor)


@composite(vmap="decompose")
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Rearrange pixels into channels, the inverse of pixel_shuffle."""
    return ops.pixel_unshuffle(input, downscale_factor)


@composite(vmap="decompose")
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave the channels of the groups."""
    return ops.channel_shuffle(input, groups)
