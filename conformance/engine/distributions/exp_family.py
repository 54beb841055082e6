"""torch.distributions.ExponentialFamily, and the functions that kl_divergence shares with it (torch: distributions/exp_family.py)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor
from ..autograd import grad
from .distribution import _NOT_THERE, Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """The base of exponential families, whose log density is linear in natural parameters minus a log normalizer."""

    __module__ = "torch.distributions.exp_family"
    _natural_params: Any = _NOT_THERE
    _mean_carrier_measure: Any = _NOT_THERE

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, from the derivative of the log normalizer at the natural parameters."""
        result: Any = -self._mean_carrier_measure
        parameters = natural(self)
        normalizer, slopes = normalized(self, parameters)
        result += normalizer
        for one, slope in zip(parameters, slopes, strict=True):
            result -= (one * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result


def natural(family: ExponentialFamily) -> list[Tensor]:
    """The natural parameters as leaves."""
    return [each.detach().requires_grad_() for each in family._natural_params]


def normalized(family: ExponentialFamily, parameters: list[Tensor]) -> tuple[Tensor, tuple[Any, ...]]:
    """The log normalizer at natural parameters, and its gradients."""
    normalizer = family._log_normalizer(*parameters)
    return normalizer, grad(normalizer.sum(), parameters, create_graph=True)
