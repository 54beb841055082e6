"""torch.distributions.Geometric (torch: distributions/geometric.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import zeros_like
from .._autograd.tensor import Tensor
from .._c10 import dtypes, layout
from .._c10.modes import no_grad
from .._nn.loss import binary_cross_entropy_with_logits
from . import constraints
from .distribution import NO_SHAPE, OfProbability
from .utils import broadcast_all

__all__ = ["Geometric"]


class Geometric(OfProbability):
    """The number of failures before the first success."""

    __module__ = "torch.distributions.geometric"
    support = constraints.nonnegative_integer

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(probs, logits, validate_args)
        if self._validate_args and probs is not None and not (valid := self.probs > 0).all():
            raise ValueError(
                f"Expected parameter probs ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) of "
                f"distribution {self!r} to be positive but found invalid values:\n{self.probs.data[~valid]}"
            )

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        tiny = dtypes.finfo(self.probs.dtype).tiny
        with no_grad():
            drawn = self.probs.new(self._extended_shape(sample_shape)).uniform_(tiny, 1)
            return (drawn.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone(memory_format=layout.contiguous_format)
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
