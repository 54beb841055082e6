"""cross_entropy of a linear layer's output (torch: nn/functional.py)."""

from __future__ import annotations

import math
import warnings
from typing import Any

from .._aten.blas.matmul import linear
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.modes import state
from .._c10.operator_facts import composite
from . import chunked_cross_entropy
from .loss import cross_entropy


@composite(vmap="decompose")
def linear_cross_entropy(
    input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None,
    weight: Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None,
    label_smoothing: float = 0.0, options: Any = None,
) -> Tensor:  # fmt: skip
    """The cross_entropy of linear(input), for input (N, features), weight (classes, ..., features) and target (N, ...).

    Raises:
        RuntimeError: shapes do not match, or ``ignore_index`` is used with class probabilities.
    """
    if not 1 <= input.dim() <= 2:
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}"
        )
    batch, features = input.shape[:-1], input.shape[-1]
    if features != linear_weight.shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {features} and {linear_weight.shape[-1]}, respectively"
        )
    classes, further = linear_weight.shape[0], tuple(linear_weight.shape[1:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != (classes, *further):
        raise RuntimeError(
            f"expected linear_bias shape {(classes, *further)}, got {tuple(linear_bias.shape)}"
        )
    if further and not batch:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, (N, "
            f"{features}), got unbatched input with shape {tuple(input.shape)}"
        )
    shape = (*batch, classes, *further)
    if target.shape == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    if options is not None:
        if (
            reduction in ("mean", "sum", "none") and label_smoothing == 0 and target.dtype is dtypes.int64
            and not further
        ):  # fmt: skip
            return _in_chunks(input, linear_weight, target, linear_bias, weight, reduction, ignored, options)
        warnings.warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
            "label_smoothing == 0, target.dtype == int64, out_features == (). Got "
            f"reduction={reduction!r}, label_smoothing={label_smoothing}, target.dtype={target.dtype}, "
            f"out_features={further}, tracing=False, linear_bias.shape="
            f"{None if linear_bias is None else tuple(linear_bias.shape)}.",
            stacklevel=2,
        )
    if further:
        rows = math.prod(further, start=classes)
        linear_weight = linear_weight.reshape((rows, features))
        linear_bias = None if linear_bias is None else linear_bias.reshape(rows)
    return cross_entropy(
        linear(input, linear_weight, linear_bias).reshape(shape), target, weight=weight, reduction=reduction,
        ignore_index=ignored, label_smoothing=label_smoothing,
    )  # fmt: skip


def _in_chunks(
    input: Any, linear_weight: Any, target: Any, linear_bias: Any, weight: Any, reduction: str, ignored: int,
    options: Any,
) -> Any:  # fmt: skip
    batched = input.dim() == 2
    if not batched:
        input, target = input.unsqueeze(0), target.unsqueeze(0)
    adjusted = options._adjust(
        num_batches=input.shape[0], in_features=input.shape[1], num_classes=linear_weight.shape[0], dtype=input.dtype,
        device=input.device,
    )  # fmt: skip
    tensors = input, linear_weight, target, linear_bias, weight
    chunks = adjusted.batch_chunk_size, adjusted.acc_policy, adjusted.acc_dtype
    if reduction == "none":
        found = chunked_cross_entropy.unreduced()(*tensors, ignored, *chunks)
    else:
        needs = [
            state.grad_enabled and each is not None and each.requires_grad
            for each in (input, linear_weight, linear_bias)
        ]
        found = chunked_cross_entropy.reduced()(
            *tensors, reduction, ignored, 0.0, *chunks, adjusted.allow_retain_graph, *needs
        )[0]  # fmt: skip
    return found if batched else found.squeeze(0)
