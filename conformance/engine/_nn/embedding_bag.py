"""torch.nn.functional.embedding_bag and torch.embedding_bag (torch: nn/functional.py)."""

from __future__ import annotations

import numpy as np

from .._aten.nn import embedding as ops
from .._aten.nn.embedding_bag import embedding_bag as bag_row
from .._autograd.tensor import Tensor, wrap
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_program

_MODES = ("sum", "mean", "max")


@composite(vmap="fallback", overload="padding_idx")
def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """The sum, mean or maximum of the weight's rows for each bag of indices.

    Raises:
        ValueError: the arguments do not match.
        NotImplementedError: ``per_sample_weights`` with another mode than sum.
    """
    if weight.dtype.numpy == np.int64 and input.is_floating_point():
        warn_program(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: per_sample_weights must have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None")
        if not input.size(1):
            raise RuntimeError("step must be nonzero")
        offsets = wrap(np.arange(0, input.numel(), input.size(1), input._array.dtype))
        include_last_offset = False
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    elif input.dim() != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    elif offsets is None or offsets.dim() != 1:
        raise ValueError(f"offsets has to be a 1D Tensor{' but got None' if offsets is None else ''}")
    if mode not in _MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        raise ValueError(
            "max mode does not support scaling the gradient by the frequency, nor sparse weights"
        )
    if max_norm is not None:
        ops.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights is only supported for mode='sum'")
    assert offsets is not None
    return torch_embedding_bag(
        weight, input, offsets, scale_grad_by_freq, _MODES.index(mode), sparse, per_sample_weights,
        include_last_offset, padding_idx,
    )[0]  # fmt: skip


@composite(vmap="fallback", overload="padding_idx")
def torch_embedding_bag(
    weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0,
    sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """torch.embedding_bag, which takes the weight first and also returns the bags' offsets, sizes and indices of maxima."""
    rows = weight._array.shape[0]
    if mode not in range(len(_MODES)):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    if padding_idx is None:
        padding_idx = -1
    elif not -rows <= padding_idx < rows:
        raise RuntimeError(f"padding_idx must be within the number of embeddings, but got {padding_idx}")
    elif padding_idx < 0:
        padding_idx += rows
    return bag_row(
        weight, indices.contiguous(), offsets.contiguous(), scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
        padding_idx, rows,
    )  # fmt: skip
