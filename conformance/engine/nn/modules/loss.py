"""Losses as modules."""

from __future__ import annotations

from typing import Any

from ...tensor import Tensor
from .. import functional
from ..functions.loss import legacy_reduction
from .module import Module


class _Loss(Module):
    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> None:
        super().__init__()
        legacy = size_average is not None or reduce is not None
        self.reduction = legacy_reduction(size_average, reduce) if legacy else reduction


class MSELoss(_Loss):
    """The square of the difference."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:  # noqa: A002
        return functional.mse_loss(input, target, reduction=self.reduction)
