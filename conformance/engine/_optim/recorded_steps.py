"""Helpers of optimizer steps (torch: the ``_single_tensor_*`` functions in optim).

Note [Recorded steps]: a step consists of operations on tensors, as in torch, which bump version counters, round after each
operation, and are recorded with ``differentiable=True``. An optimizer's method ``_record`` is such a step. Hyperparameters
may be tensors that require grad where torch allows it. The next step writes to tensors that a node has saved, so some of
them are cloned.
"""

from __future__ import annotations

from typing import Any

from .._aten.pointwise.complex_parts import view_as_real
from .._autograd.tensor import Tensor


def scalar(setting: Any) -> Any:
    """A hyperparameter; a tensor of one element becomes 0-d."""
    return setting.squeeze() if isinstance(setting, Tensor) and setting.dim() else setting


def requires_grad(setting: Any) -> bool:
    """Whether a hyperparameter is a tensor that requires grad."""
    return isinstance(setting, Tensor) and setting.requires_grad


def as_real(*tensors: Any) -> list[Any]:
    """The tensors, complex ones as real views with a last dimension of 2."""
    return [view_as_real(each) if each.is_complex() else each for each in tensors]


def add_decay(param: Any, grad: Any, decay: Any) -> Any:
    """The gradient with weight decay added."""
    if not requires_grad(decay):
        return grad.add(param, alpha=decay) if decay != 0 else grad
    return grad.addcmul_(param.clone(), decay) if decay != 0 else grad


def decayed(param: Any, grad: Any, group: dict[str, Any], lr: Any) -> Any:
    """The gradient with weight decay added; with ``decoupled_weight_decay`` the parameter is decayed instead."""
    if not group["decoupled_weight_decay"]:
        return add_decay(param, grad, group["weight_decay"])
    if group["weight_decay"]:
        param.mul_(1 - lr * group["weight_decay"])
    return grad


def decay_square(mean: Any, value: Any, beta: Any) -> None:
    """Update an exponential average of squares with a value's square."""
    mean.mul_(beta).addcmul_(value, value, value=1 - beta)
