"""The reduction of losses: none, mean or sum (torch: nn/_reduction.py)."""

from __future__ import annotations

import warnings

from .._aten.nn.losses import MEAN, NONE, SUM
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting

_NUMBERS = {"none": NONE, "mean": MEAN, "sum": SUM}


def legacy_reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction; the deprecated arguments ``size_average`` and ``reduce`` override it with a warning."""
    if size_average is None and reduce is None:
        return reduction
    average = size_average is None or size_average
    found = ("mean" if average else "sum") if reduce is None or reduce else "none"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.",
        stacklevel=4,
    )
    return found


def reduction_number(
    size_average: bool | None, reduce: bool | None, reduction: str, weight: Tensor | None = None
) -> int:
    """The number of a reduction in torch's kernels, which have no weight."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    need_fitting(weight is None or reduction in _NUMBERS, "a loss")
    if reduction == "elementwise_mean":
        warnings.warn(
            "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=4
        )
        return MEAN
    if reduction not in _NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _NUMBERS[reduction]


def reduce_loss(each: Tensor, number: int) -> Tensor:
    """The elements, their mean or their sum."""
    if number == MEAN:
        return each.mean()
    return each.sum() if number == SUM else each
