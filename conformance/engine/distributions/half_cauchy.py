"""torch.distributions.HalfCauchy (torch: distributions/half_cauchy.py)."""

from __future__ import annotations

import math
from typing import Any

from .._aten.creation.factories import full
from .._aten.creation.from_data import as_tensor
from .._autograd.tensor import Tensor
from .cauchy import Cauchy
from .half_normal import HalfDistribution

__all__ = ["HalfCauchy"]


class HalfCauchy(HalfDistribution):
    """The absolute value of a Cauchy distribution around 0."""

    __module__ = "torch.distributions.half_cauchy"
    _whole = Cauchy

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def log_prob(self, value: Any) -> Tensor:
        self._validate(value)
        return super().log_prob(as_tensor(value, dtype=self.scale.dtype))
