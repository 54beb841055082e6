"""torch.distributions.VonMises (torch: distributions/von_mises.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import empty, zeros
from .._aten.operators import FUNCTIONS
from .._aten.random.random import rand
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.modes import no_grad
from .._c10.size import Size
from . import constraints
from .distribution import NO_SHAPE, Distribution
from .utils import broadcast_all, lazy_property

__all__ = ["VonMises"]

_where = FUNCTIONS["where"]

# Polynomials for the modified Bessel functions of orders 0 and 1 (Abramowitz and Stegun, 9.8): in (x / 3.75)**2 below
# 3.75, and in 3.75 / x above.
_BELOW = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_ABOVE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1,
     -0.1647633e-1, 0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1,
     0.1787654e-1, -0.420059e-2),
)  # fmt: skip


def _polynomial(x: Tensor, coefficients: Sequence[float]) -> Any:
    *others, result = coefficients
    for each in reversed(others):
        result = each + x * result  # type: ignore[assignment]  # a tensor from the first turn on
    return result


def _log_bessel(x: Tensor, order: int) -> Tensor:
    """The log of the modified Bessel function of order 0 or 1, for positive arguments."""
    ratio = x / 3.75
    below = _polynomial(ratio * ratio, _BELOW[order])
    below = (x.abs() * below if order == 1 else below).log()
    ratio = 3.75 / x
    above = x - 0.5 * x.log() + _polynomial(ratio, _ABOVE[order]).log()
    return _where(x < 3.75, below, above)


class VonMises(Distribution):
    """The von Mises distribution of angles in [-pi, pi) around ``loc``."""

    __module__ = "torch.distributions.von_mises"
    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.real
    has_rsample = False

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, Size(), validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        validate = vars(self).get("_validate_args")
        loc, concentration = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
        return type(self)(loc, concentration, validate_args=validate)

    @property
    def mean(self) -> Tensor:
        return self.loc

    mode = mean

    @lazy_property
    def variance(self) -> Tensor:
        ratio = _log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)
        return 1 - ratio.exp()

    @lazy_property
    def _double(self) -> Any:
        """Both parameters in double precision, since rejection does not terminate for small concentrations otherwise."""
        return tuple(each.to(dtypes.float64) for each in (self.loc, self.concentration))

    @lazy_property
    def _envelope(self) -> Tensor:
        """The parameter of the wrapped Cauchy proposal distribution."""
        kappa = self._double[1]
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        exact = (1 + rho**2) / (2 * rho)
        return _where(kappa < 1e-5, 1 / kappa + kappa, exact)

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        """Sample by rejection (Best and Fisher, 1979)."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            loc, concentration = self._double
            found = self._picked(empty(shape, dtype=loc.dtype), concentration, self._envelope)
            return ((found + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @staticmethod
    def _picked(x: Tensor, concentration: Tensor, envelope: Tensor) -> Tensor:
        done = zeros(x.shape, dtype=dtypes.bool_)
        while not done.all():
            one, other, third = rand((3, *x.shape), dtype=x.dtype).unbind()
            z = (math.pi * one).cos()
            cosine = (1 + envelope * z) / (envelope + z)
            c = concentration * (envelope - cosine)
            accepted = ((c * (2 - c) - other) > 0) | ((c / other).log() + 1 - c >= 0)
            if accepted.any():
                x = _where(accepted, (third - 0.5).sign() * cosine.acos(), x)
                done = done | accepted
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        power = self.concentration * (value - self.loc).cos()
        return power - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)
