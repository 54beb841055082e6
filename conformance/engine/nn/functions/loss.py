"""Losses with their checks, as torch.nn.functional has them."""

from __future__ import annotations

import warnings
from typing import Any

from ...ops import loss as ops
from ...ops.shape import expand
from ...shapes import broadcast_shapes
from ...tensor import Size, Tensor


def reduction_number(reduction: str) -> int:
    """torch's number for a reduction.

    Raises:
        ValueError: there is no such reduction.
    """
    if reduction == "none":
        return ops.NONE
    if reduction == "mean":
        return ops.MEAN
    if reduction == "elementwise_mean":
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=3
        )
        return ops.MEAN
    if reduction == "sum":
        return ops.SUM
    raise ValueError(f"{reduction} is not a valid value for reduction")


def legacy_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """What the deprecated arguments ``size_average`` and ``reduce`` mean; warns."""
    average = size_average is None or size_average
    found = ("mean" if average else "sum") if reduce is None or reduce else "none"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.", stacklevel=3
    )
    return found


def _chosen(size_average: bool | None, reduce: bool | None, reduction: str) -> int:
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    return reduction_number(reduction)


def _met(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:  # noqa: A002
    """Input and target in one shape; a difference is warned about, since it is mostly a mistake."""
    if input._array.shape == target._array.shape:
        return input, target
    shape = broadcast_shapes(input._array.shape, target._array.shape)
    return expand(input, shape), expand(target, shape)


def _warn_sizes(input: Tensor, target: Tensor) -> None:  # noqa: A002
    if input._array.shape != target._array.shape:
        warnings.warn(
            f"Using a target size ({Size(target.shape)}) that is different to the input size ({Size(input.shape)}). "
            "This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )


def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,  # noqa: A002
    reduction: str = "mean", weight: Any = None,
) -> Tensor:  # fmt: skip
    """The square of the difference."""
    _warn_sizes(input, target)
    number = _chosen(size_average, reduce, reduction)
    return ops.mse_loss(*_met(input, target), number)  # type: ignore[no-any-return]
