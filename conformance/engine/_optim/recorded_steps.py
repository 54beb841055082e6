"""What the recorded steps of optimizers share (torch: the ``_single_tensor_*`` functions in optim).

Note [Recorded steps]: a step with ``differentiable=True`` is made of operations on tensors, which autograd records; so is
a step of half-precision parameters, since torch rounds after each operation. Such a step is the method ``_record`` of an
optimizer. Settings may be tensors that require grad where torch lets them. What a node has saved is written to in the
next step, so some of it is cloned.
"""

from __future__ import annotations

from typing import Any

from .._aten.pointwise.complex_parts import view_as_real
from .._autograd.tensor import Tensor


def scalar(setting: Any) -> Any:
    """A setting; a tensor of one element is made a scalar."""
    return setting.squeeze() if isinstance(setting, Tensor) and setting.dim() else setting


def requires_grad(setting: Any) -> bool:
    """Whether a setting is a tensor that requires grad."""
    return isinstance(setting, Tensor) and setting.requires_grad


def as_real(*tensors: Any) -> list[Any]:
    """The tensors; complex ones as real ones with a last dimension for both parts."""
    return [view_as_real(each) if each.is_complex() else each for each in tensors]


def add_decay(param: Any, grad: Any, decay: Any) -> Any:
    """The gradient with weight decay added."""
    if not requires_grad(decay):
        return grad.add(param, alpha=decay) if decay != 0 else grad
    return grad.addcmul_(param.clone(), decay) if decay != 0 else grad


def decay_square(mean: Any, value: Any, beta: Any) -> None:
    """Move a running mean of squares towards a value's square."""
    mean.mul_(beta).addcmul_(value, value, value=1 - beta)
