"""torch.distributions.Laplace (torch: distributions/laplace.py)."""

from __future__ import annotations

from collections.abc import Sequence

from .._aten.creation.factories import empty
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .distribution import NO_SHAPE, LocationScale

__all__ = ["Laplace"]


class Laplace(LocationScale):
    """The Laplace distribution: two-sided exponential around ``loc``."""

    __module__ = "torch.distributions.laplace"

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return (2**0.5) * self.scale

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        kind = self.loc.dtype
        drawn = empty(self._extended_shape(sample_shape), dtype=kind).uniform_(dtypes.finfo(kind).eps - 1, 1)
        return self.loc - self.scale * drawn.sign() * (-drawn.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()
