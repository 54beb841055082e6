"""torch.distributions.Dirichlet (torch: distributions/dirichlet.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._autograd.custom_function import Function, once_differentiable
from .._autograd.tensor import Tensor, wrap
from .._c10.size import Size
from .._distributions import gamma_gradients
from .._distributions.gamma_sampling import draw_dirichlet
from .._nn.embedding import one_hot
from . import constraints
from .distribution import NO_SHAPE
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Any:
        x = wrap(draw_dirichlet(concentration._array))
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        x, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        slope = wrap(gamma_gradients.of_dirichlet(x._array, concentration._array, total._array))
        return slope * (grad_output - (x * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution: gamma variables with these concentrations, divided by their sum."""

    __module__ = "torch.distributions.dirichlet"
    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}  # noqa: RUF012 - torch's own form
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(Size(shape[:-1]), Size(shape[-1:]), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        at_corners = (self.concentration < 1).all(dim=-1)
        mode[at_corners] = one_hot(mode[at_corners].argmax(dim=-1), above.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        weighted = (self.concentration - 1.0).xlogy(value).sum(-1)
        return weighted + self.concentration.sum(-1).lgamma() - self.concentration.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        count, total = self.concentration.size(-1), self.concentration.sum(-1)
        spread = self.concentration.lgamma().sum(-1) - total.lgamma() - (count - total) * total.digamma()
        return spread - ((self.concentration - 1.0) * self.concentration.digamma()).sum(-1)
