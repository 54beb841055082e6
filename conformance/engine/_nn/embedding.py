"""embedding, one_hot, bilinear and the shuffles of channels, with their argument checks."""

from __future__ import annotations

import numpy as np

from .._aten.blas.cdist import pdist  # noqa: F401  torch.nn.functional has it, too
from .._aten.nn import embedding as ops
from .._autograd.tensor import Tensor, wrap
from .._autograd.views import increment_version
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite


@composite(vmap="decompose")
def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of the weight at the input's indices."""
    rows = len(weight._array)
    padding_idx = row_number("embedding", padding_idx, rows)
    if max_norm is not None:
        ops.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    return ops.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse, rows)


def row_number(name: str, padding_idx: int | None, rows: int) -> int:
    """The row that gets no gradient, from 0; -1 if there is none."""
    if padding_idx is None:
        return -1
    need_fitting(-rows <= padding_idx < rows, name)
    return padding_idx % rows


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A vector of zeros with a 1 at the index of each class."""
    array = tensor._array
    need_fitting(array.dtype == np.int64 and (array.size or num_classes > 0), "one_hot")
    need_fitting(not (array < 0).any(), "one_hot")
    largest = int(array.max(initial=-1))
    if num_classes == -1:
        num_classes = largest + 1
    need_fitting(largest < num_classes, "one_hot")
    found = wrap((array[..., None] == np.arange(num_classes)).astype(np.int64, order="C"))
    for _ in ("zeros", "ones scattered into them") if array.size else ():
        increment_version(found)
    return found


@composite(vmap="fallback")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1 @ weight @ input2.T + bias, for each output."""
    a, b, w = input1._array.shape, input2._array.shape, weight._array.shape
    fits = len({each.dtype for each in (input1, input2, weight, bias) if each is not None}) == 1
    fits = fits and a[:-1] == b[:-1] and (a[-1:], b[-1:]) == (w[1:2], w[2:])
    need_fitting(fits and (bias is None or len(bias._array) == w[0]), "bilinear")
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
