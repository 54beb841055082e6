"""torch.distributions.Weibull (torch: distributions/weibull.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import ones_like
from .._autograd.tensor import Tensor
from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """The Weibull distribution: ``scale`` times an exponential variable to the power of 1 / ``concentration``."""

    __module__ = "torch.distributions.weibull"
    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.positive

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._transforms(), validate_args=validate_args)

    def _transforms(self) -> list[Any]:
        power = PowerTransform(exponent=self.concentration_reciprocal)
        return [power, AffineTransform(loc=0, scale=self.scale)]

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        own = {name: getattr(self, name).expand(batch_shape) for name in ("scale", "concentration")}
        new = self._expanded(Weibull, _instance, batch_shape, **own)
        new.concentration_reciprocal = new.concentration.reciprocal()
        base = self.base_dist.expand(batch_shape)
        TransformedDistribution.__init__(new, base, new._transforms(), validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def mean(self) -> Tensor:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Tensor:
        shape = self.concentration
        return self.scale * ((shape - 1) / shape) ** shape.reciprocal()

    @property
    def variance(self) -> Tensor:
        exponent, scale = self.concentration_reciprocal, self.scale.pow(2)
        return scale * ((1 + 2 * exponent).lgamma().exp() - (2 * (1 + exponent).lgamma()).exp())

    def entropy(self) -> Tensor:
        exponent = self.concentration_reciprocal
        return euler_constant * (1 - exponent) + (self.scale * exponent).log() + 1
