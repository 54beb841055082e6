"""torch.distributions.utils: functions that distributions share (torch: distributions/utils.py)."""

from __future__ import annotations

from typing import Any

from .. import functional
from .._aten.creation.factories import empty
from .._aten.creation.from_data import tensor
from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from .._autograd.torch_function import has_torch_function, is_tensor_like
from .._c10 import dtypes
from .._c10.size import Size
from .._distributions.base_utils import _sum_rightmost, euler_constant, lazy_property  # noqa: F401

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
]

NUMBER = (int, float, bool)


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Broadcast tensors and numbers; a number takes the dtype of the first tensor.

    Raises:
        ValueError: an argument is neither a tensor nor a number.
    """
    if not all(is_tensor_like(each) or isinstance(each, NUMBER) for each in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing "
            "__torch_function__."
        )
    # Only the public function checks operands for __torch_function__.
    broadcast = functional.broadcast_tensors if has_torch_function(values) else FUNCTIONS["broadcast_tensors"]
    kind = next((each.dtype for each in values if isinstance(each, Tensor)), dtypes.get_default_dtype())
    tensors = [tensor(each, dtype=kind) if isinstance(each, NUMBER) else each for each in values]
    found: tuple[Tensor, ...] = broadcast(*tensors)
    return found


def clamp_probs(probs: Tensor) -> Tensor:
    """Clamp probabilities to the open interval (0, 1), so that they and their complements have logarithms."""
    eps = dtypes.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from (unnormalized) log probabilities, or from log odds with ``is_binary``."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """The log probabilities, or the log odds with ``is_binary``."""
    probs = clamp_probs(probs)
    return probs.log() - (-probs).log1p() if is_binary else probs.log()


def _standard_normal(shape: Size, dtype: dtypes.dtype, device: Any = None) -> Tensor:
    """Samples of the standard normal distribution."""
    return empty(shape, dtype=dtype).normal_()
