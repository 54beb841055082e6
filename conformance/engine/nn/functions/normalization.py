"""Normalizations with their checks, as torch.nn.functional has them."""

from __future__ import annotations

from ...ops import normalization as ops
from ...tensor import Size, Tensor


def _verify_batch_size(size: Size) -> None:
    values = size[0]
    for n in size[2:]:
        values *= n
    if values == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,  # noqa: A002
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Each channel of a batch with mean 0 and deviation 1, then scaled and shifted."""
    if training:
        _verify_batch_size(input.size())
    return ops.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
