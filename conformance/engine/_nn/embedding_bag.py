"""torch.nn.functional.embedding_bag and torch.embedding_bag (torch: nn/functional.py)."""

from __future__ import annotations

import numpy as np

from .._aten.nn import embedding as ops
from .._aten.nn.embedding_bag import embedding_bag as bag_row
from .._autograd.tensor import Tensor, wrap
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .._c10.warn_once import warn_program
from .embedding import row_number

_MODES = ("sum", "mean", "max")


@composite(vmap="fallback", overload="padding_idx")
def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """The sum, mean or maximum of the weight's rows for each bag of indices."""
    if weight.dtype.numpy == np.int64 and input.is_floating_point():
        warn_program(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
        )
        weight, input = input, weight
    fits = True
    if per_sample_weights is not None:
        fits = input.size() == per_sample_weights.size() and mode == "sum"
    fits = fits and not (mode == "max" and (scale_grad_by_freq or sparse))
    need_fitting(fits and (offsets is None) == (input.dim() == 2), "embedding_bag")
    if offsets is None:
        offsets = wrap(np.arange(0, input.numel(), input.size(1), input._array.dtype))
        include_last_offset = False
        input = input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if max_norm is not None:
        ops.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
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
    need_fitting(mode in range(len(_MODES)) and offsets.dim() == 1, "embedding_bag")
    padding_idx = row_number("embedding_bag", padding_idx, rows)
    return bag_row(
        weight, indices.contiguous(), offsets.contiguous(), scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
        padding_idx, rows,
    )  # fmt: skip
