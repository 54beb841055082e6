"""torch.distributions.FisherSnedecor (torch: distributions/fishersnedecor.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._autograd.tensor import Tensor
from .._c10 import dtypes, layout
from .._c10.size import Size
from . import constraints
from .distribution import NO_SHAPE, Distribution
from .gamma import Gamma
from .utils import NUMBER, broadcast_all

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The F distribution: the ratio of two `Chi2` variables, each divided by its degrees of freedom."""

    __module__ = "torch.distributions.fishersnedecor"
    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1, self._gamma2 = (Gamma(each * 0.5, each) for each in (self.df1, self.df2))
        of_numbers = isinstance(df1, NUMBER) and isinstance(df2, NUMBER)
        super().__init__(Size() if of_numbers else self.df1.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        names = ("df1", "df2", "_gamma1", "_gamma2")
        own = {name: getattr(self, name).expand(batch_shape) for name in names}
        return self._expanded(FisherSnedecor, _instance, batch_shape, **own)

    def _above(self, least: int) -> Tensor:
        """``df2``, nan where it is not above a bound."""
        found = self.df2.clone(memory_format=layout.contiguous_format)
        found[found <= least] = math.nan
        return found

    @property
    def mean(self) -> Tensor:
        df2 = self._above(2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Tensor:
        df2 = self._above(4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        one, other = (each.rsample(sample_shape).view(shape) for each in (self._gamma1, self._gamma2))
        tiny = dtypes.finfo(other.dtype).tiny
        other.clamp_(min=tiny)
        quotient = one / other
        quotient.clamp_(min=tiny)
        return quotient

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        one, other, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        normalizer = (one + other).lgamma() - one.lgamma() - other.lgamma()
        power = one * ratio.log() + (one - 1) * value.log()
        bend = (one + other) * (ratio * value).log1p()
        return normalizer + power - bend
