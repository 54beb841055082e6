"""cross_entropy of a linear layer's output (torch: nn/functional.py)."""

from __future__ import annotations

import math
from typing import Any

from .._arguments.absent_names import AbsentError
from .._arguments.gone import said
from .._aten.blas.matmul import linear
from .._autograd.tensor import Tensor
from .._c10.operator_facts import composite
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
        NotImplementedError: ``options`` is given; the engine has no chunks.
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
        raise AbsentError(said("torch.nn.LinearCrossEntropyOptions"))
    if further:
        rows = math.prod(further, start=classes)
        linear_weight = linear_weight.reshape((rows, features))
        linear_bias = None if linear_bias is None else linear_bias.reshape(rows)
    return cross_entropy(
        linear(input, linear_weight, linear_bias).reshape(shape), target, weight=weight, reduction=reduction,
        ignore_index=ignored, label_smoothing=label_smoothing,
    )  # fmt: skip
