"""torch.nn.functional.ctc_loss and torch.ctc_loss (torch: native/LossCTC.cpp)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._aten.creation.factories import zeros
from .._aten.nn import ctc_loss as connectionist
from .._aten.nn.losses import MEAN, NONE
from .._aten.pointwise.where_clamp import where
from .._autograd.tensor import Tensor, make
from .._c10.dtypes import int64
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite
from .reduction import reduce_loss, reduction_number


def _lengths(name: str, given: Tensor | Sequence[int]) -> tuple[int, ...]:
    if not isinstance(given, Tensor):
        return tuple(given)
    need_fitting(given._array.dtype.kind in "iu", f"ctc_loss ({name})")
    return tuple(given._array.ravel().tolist())


def _overload(log_probs: Any, targets: Any, input_lengths: Any, *others: Any, **named: Any) -> str:
    return "Tensor" if isinstance(input_lengths, Tensor) else "IntList"


@composite(vmap="fallback", autocast="fp32", overload=_overload)
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """The connectionist temporal classification loss: minus the log probability of all alignments.

    Args:
        log_probs: (time, batch, class) or (time, class).
        targets: (batch, label), or all labels concatenated.
        input_lengths: the time steps of each sample.
        target_lengths: the labels of each sample, by which the reduction mean divides each loss.
        blank: the blank label.
        zero_infinity: whether infinite losses (no alignment is possible) and their gradients become 0.
    """
    return torch_ctc_loss(
        log_probs,
        targets,
        input_lengths,
        target_lengths,
        blank,
        reduction_number(None, None, reduction),
        zero_infinity,
    )


@composite(vmap="fallback", overload=_overload)
def torch_ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: int = NONE, zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """torch.ctc_loss, whose reduction is a number."""
    times, lengths = _lengths("input_lengths", input_lengths), _lengths("target_lengths", target_lengths)
    batched = log_probs.dim() == 3
    if not batched:
        log_probs = log_probs.unsqueeze(1)
    row: Any = connectionist.ctc_loss
    each = row(log_probs, targets.to(int64), times, lengths, blank, zero_infinity)[0]
    if zero_infinity:
        each = where(each == float("inf"), zeros((), dtype=each.dtype), each)
    if reduction == MEAN:
        each = each / make(np.maximum(np.array(lengths, each._array.dtype), 1))
    elif reduction == NONE and not batched:
        each = each.squeeze(0)
    return reduce_loss(each, reduction)
