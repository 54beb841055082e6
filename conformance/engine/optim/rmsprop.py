"""torch.optim.RMSprop (torch: optim/rmsprop.py)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_least, check_rate
from .._optim.recorded_steps import add_decay, as_real, decay_square, scalar
from .._optim.step_states import (
    count_step,
    counter,
    filled_for,
)
from .optimizer import Optimizer, Params

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    """RMSprop: the gradient divided by the root of its mean square."""

    __module__ = "torch.optim.rmsprop"

    def __init__(
        self, params: Params, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check_least("epsilon value", eps)
        check_least("momentum value", momentum)
        check_least("weight_decay value", weight_decay)
        check_least("alpha value", alpha)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        names = [
            "square_avg",
            *["momentum_buffer"] * (group["momentum"] > 0),
            *["grad_avg"] * group["centered"],
        ]
        return {"step": counter(), **{name: filled_for(param) for name in names}}

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """See Note [Recorded steps]."""
        own = self._started(param, group)
        alpha, momentum, lr = group["alpha"], group["momentum"], scalar(group["lr"])
        count_step(own, group, xla=True)
        param, grad = as_real(param, add_decay(param, grad, group["weight_decay"]))
        (square,) = as_real(own["square_avg"])
        decay_square(square, grad, alpha)
        if group["centered"]:
            (mean,) = as_real(own["grad_avg"])
            mean.lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root = root.add(group["eps"])
        if momentum > 0:
            (buffer,) = as_real(own["momentum_buffer"])
            buffer.mul_(momentum).addcdiv_(grad, root)
            param.add_(buffer, alpha=-lr)
        else:
            param.addcdiv_(grad, root, value=-lr)
