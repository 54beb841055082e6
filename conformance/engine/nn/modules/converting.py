"""A parameter in another dtype, or on another device: the three ways of torch.__future__."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...modes import no_grad
from ...settings import get_overwrite_module_params_on_conversion as overwrites
from ...settings import get_swap_module_params_on_conversion as swaps
from ...tensor import Tensor
from ..parameter import Parameter


def converted(parameter: Any, fn: Callable[[Tensor], Tensor], name: str) -> Any:
    """The parameter that a module has afterwards: another one where parameters are overwritten.

    Raises:
        RuntimeError: it cannot be swapped with what it becomes.
    """
    gradient = parameter.grad
    with no_grad():
        found = fn(parameter)
    if swaps():
        parameter.grad = None  # which holds it
        try:
            _swap(parameter, Parameter(found, parameter.requires_grad), name)
        except RuntimeError:
            parameter.grad = gradient
            raise
    elif overwrites():
        parameter = Parameter(found, parameter.requires_grad)
    else:
        parameter.data = found
    if gradient is None:
        return parameter
    with no_grad():
        grad = fn(gradient)
    if swaps():
        _swap(gradient, grad.requires_grad_(gradient.requires_grad), f"{name}.grad")
        parameter.grad = gradient
    elif overwrites():
        parameter.grad = grad.requires_grad_(gradient.requires_grad)
    else:
        gradient.data = grad
    return parameter


def _swap(one: Tensor, other: Tensor, name: str) -> None:
    from ...utils import swap_tensors

    try:
        swap_tensors(one, other)
    except Exception as error:
        raise RuntimeError(f"_apply(): Couldn't swap {name}") from error
