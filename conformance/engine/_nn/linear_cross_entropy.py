"""cross_entropy of a linear layer's output (torch: nn/functional.py)."""

from __future__ import annotations

import math
from typing import Any

from .._arguments.absent_names import AbsentError
from .._arguments.gone import said
from .._aten.blas.matmul import linear
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting
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
        NotImplementedError: shapes do not match, ``ignore_index`` is used with class probabilities, or ``options`` is
            given; the engine has no chunks.
    """
    batch, features = input.shape[:-1], input.shape[-1]
    classes, further = linear_weight.shape[0], tuple(linear_weight.shape[1:-1])
    fits = len(batch) == 1 or not (batch or further)
    fits = fits and (linear_bias is None or linear_bias.shape == (classes, *further))
    shape = (*batch, classes, *further)
    need_fitting(fits and (target.shape != shape or ignore_index is None), "linear_cross_entropy")
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
