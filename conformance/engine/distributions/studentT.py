"""torch.distributions.StudentT (torch: distributions/studentT.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._autograd.tensor import Tensor
from .._c10 import layout
from . import constraints
from .chi2 import Chi2
from .distribution import NO_SHAPE, Distribution
from .utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t distribution with ``df`` degrees of freedom, ``loc`` and ``scale``."""

    __module__ = "torch.distributions.studentT"
    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        own = {name: getattr(self, name).expand(batch_shape) for name in ("df", "loc", "scale")}
        new = self._expanded(StudentT, _instance, batch_shape, **own)
        new._chi2 = self._chi2.expand(batch_shape)
        return new

    @property
    def mean(self) -> Tensor:
        mean = self.loc.clone(memory_format=layout.contiguous_format)
        mean[self.df <= 1] = math.nan
        return mean

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        found, finite = self.df.clone(memory_format=layout.contiguous_format), self.df > 2
        found[finite] = self.scale[finite].pow(2) * self.df[finite] / (self.df[finite] - 2)
        found[(self.df <= 2) & (self.df > 1)] = math.inf
        found[self.df <= 1] = math.nan
        return found

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        drawn = _standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        return self.loc + self.scale * (drawn * (self._chi2.rsample(sample_shape) / self.df).rsqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        y = (value - self.loc) / self.scale
        scaled = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        normalizer = scaled + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1.0)).lgamma()
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - normalizer

    def entropy(self) -> Tensor:
        df = self.df
        log_beta = (0.5 * df).lgamma() + math.lgamma(0.5) - (0.5 * (df + 1)).lgamma()
        log_scale = self.scale.log()
        slopes = 0.5 * (df + 1) * ((0.5 * (df + 1)).digamma() - (0.5 * df).digamma())
        return log_scale + slopes + 0.5 * df.log() + log_beta
