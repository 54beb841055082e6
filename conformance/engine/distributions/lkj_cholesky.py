"""torch.distributions.LKJCholesky (torch: distributions/lkj_cholesky.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._aten.creation.ranges import arange
from .._aten.operators import FUNCTIONS
from .._aten.random.random import randn
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.size import Size
from . import constraints
from .beta import Beta
from .distribution import NO_SHAPE, Distribution
from .utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices with density proportional to det ** (``concentration`` - 1).

    (Lewandowski, Kurowicka and Joe, 2009.)

    Raises:
        ValueError: ``dim`` is less than 2.
    """

    __module__ = "torch.distributions.lkj_cholesky"
    arg_constraints = {"concentration": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        before = arange(dim - 1, dtype=self.concentration.dtype)
        before = FUNCTIONS["cat"]([before.new_zeros((1,)), before])
        self._beta = Beta(
            before + 0.5, marginal.unsqueeze(-1) - 0.5 * before
        )  # the distribution of a row's squared norm
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        expanded = self.concentration.expand(batch_shape)
        new = self._expanded(LKJCholesky, _instance, batch_shape, concentration=expanded)
        new.dim, new._beta = self.dim, self._beta.expand((*batch_shape, self.dim))
        return new

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        """Sample rows by a direction and a squared norm below the diagonal (the onion method)."""
        squares = self._beta.sample(sample_shape).unsqueeze(-1)
        drawn = randn(self._extended_shape(sample_shape), dtype=squares.dtype).tril(-1)
        directions = drawn / drawn.norm(dim=-1, keepdim=True)
        directions[..., 0, :].fill_(0.0)  # the first row is empty below the diagonal
        below = squares.sqrt() * directions
        rest = (1 - (below**2).sum(dim=-1)).clamp(min=dtypes.finfo(below.dtype).tiny)
        below += rest.sqrt().diag_embed()
        return below

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - arange(2, self.dim + 1)
        density = (powers * diagonal.log()).sum(dim=-1)
        count = self.dim - 1
        alpha = self.concentration + 0.5 * count
        denominator = alpha.lgamma() * count
        numerator = (alpha - 0.5).mvlgamma(count)
        return density - (0.5 * count * math.log(math.pi) + numerator - denominator)
