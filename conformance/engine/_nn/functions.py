"""The functions of torch.nn.functional that are also in torch's top-level namespace, such as torch.conv2d."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._arguments.argument_errors import check_all_arguments
from .._aten.nn import embedding as tables
from .._aten.nn import grid_sampler
from .._aten.nn.batch_norm import batch_norm
from .._aten.nn.weight_norm import norm_except_dim
from .._aten.random import dropout as drop
from .._autograd.tensor import Tensor
from .._c10.keyword_names import taking_numpy_names
from .._c10.operator_facts import composite
from . import (
    convolution,
    ctc_loss,
    distance,
    embedding,
    embedding_bag,
    normalization,
    padding,
    pooling,
    torch_level_functions,
)


@composite(vmap="decompose")
def _embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """torch.embedding, which takes the weight first."""
    padding = None if padding_idx == -1 else padding_idx
    return embedding.embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "batch_norm": batch_norm,
    "norm_except_dim": norm_except_dim,
    "ctc_loss": ctc_loss.torch_ctc_loss,
    "embedding": _embedding,
    "embedding_bag": embedding_bag.torch_embedding_bag,
    "embedding_renorm_": tables.embedding_renorm_,
    **{name: getattr(drop, name) for name in drop.PUBLIC},
    **{name: getattr(grid_sampler, name) for name in grid_sampler.PUBLIC},
    **{
        name: getattr(convolution, name)
        for name in ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
    },
    **{name: getattr(distance, name) for name in ("cosine_similarity", "pairwise_distance")},
    **{
        name: getattr(embedding, name)
        for name in ("bilinear", "channel_shuffle", "pdist", "pixel_shuffle", "pixel_unshuffle")
    },
    **{name: getattr(normalization, name) for name in ("group_norm", "layer_norm", "rms_norm")},
    **{
        name: getattr(pooling, name)
        for name in ("adaptive_avg_pool1d", "avg_pool1d", "max_pool1d", "max_pool1d_with_indices")
    },
    **torch_level_functions.FUNCTIONS,
    "constant_pad_nd": padding.constant_pad,
    "max_pool2d": pooling.max_pool2d,
    "max_pool3d": pooling.max_pool3d,
}
FUNCTIONS = check_all_arguments({name: taking_numpy_names(each, name) for name, each in _FUNCTIONS.items()})


def all_functions() -> dict[str, Callable[..., Any]]:
    """The top-level functions of torch that are implemented here, by name."""
    return FUNCTIONS
