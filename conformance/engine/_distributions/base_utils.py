"""Helpers for the base classes of torch.distributions (torch: distributions/utils.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._autograd.tensor import Tensor
from .._c10.modes import enable_grad

euler_constant = 0.57721566490153286060  # the mean of a standard Gumbel distribution


class lazy_property:
    """An attribute that is computed on first use, with its graph even under no_grad."""

    __module__ = "torch.distributions.utils"

    def __init__(self, compute: Callable[[Any], Tensor]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.compute(instance)
        setattr(instance, self.name, value)
        return value


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over a number of last dimensions."""
    return value.reshape((*value.shape[:-dim], -1)).sum(-1) if dim else value
