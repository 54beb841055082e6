"""torch.distributions.Beta (torch: distributions/beta.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._aten.creation.from_data import tensor
from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from . import constraints
from .dirichlet import Dirichlet
from .distribution import NO_SHAPE
from .exp_family import ExponentialFamily
from .utils import NUMBER, broadcast_all

__all__ = ["Beta"]

_stack = FUNCTIONS["stack"]


class Beta(ExponentialFamily):
    """The Beta distribution, the first component of a two-dimensional `Dirichlet`."""

    __module__ = "torch.distributions.beta"
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if isinstance(concentration1, NUMBER) and isinstance(concentration0, NUMBER):
            both = tensor([float(concentration1), float(concentration0)])
        else:
            both = _stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    @property
    def concentration1(self) -> Tensor:
        """The first concentration parameter (alpha)."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """The second concentration parameter (beta)."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        return self._dirichlet.log_prob(_stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()
