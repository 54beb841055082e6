"""Helpers for the base classes of torch.distributions (torch: distributions/utils.py)."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
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


def own_init(cls: type) -> None:
    """Copy ``__init__`` from a base class that torch does not have, so that errors name torch's class."""
    owner = next(base for base in cls.__mro__ if "__init__" in vars(base))
    if not cls.__module__.startswith("torch.") or owner.__module__.startswith("torch."):
        return
    init: Any = vars(owner)["__init__"]
    own = FunctionType(init.__code__, init.__globals__, "__init__", init.__defaults__, init.__closure__)
    own.__kwdefaults__, own.__annotations__ = init.__kwdefaults__, init.__annotations__
    own.__qualname__, own.__doc__ = f"{cls.__qualname__}.__init__", init.__doc__
    cls.__init__ = own  # type: ignore[misc]


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over a number of last dimensions."""
    return value.reshape((*value.shape[:-dim], -1)).sum(-1) if dim else value
