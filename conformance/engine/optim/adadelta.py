"""torch.optim.Adadelta (torch: optim/adadelta.py)."""

from __future__ import annotations

from typing import Any

from .._aten.pointwise.complex_parts import view_as_complex
from .._autograd.tensor import Tensor
from .._optim.argument_checks import check, check_least, check_rate
from .._optim.recorded_steps import add_decay, as_real, decay_square, scalar
from .._optim.step_states import (
    count_step,
    counter,
    filled_for,
)
from .optimizer import Optimizer, Params

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Adadelta: steps scaled by the ratio of the averages of earlier steps and gradients."""

    __module__ = "torch.optim.adadelta"

    def __init__(
        self, params: Params, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check("rho value", rho, 0.0 <= rho <= 1.0)
        check_least("epsilon value", eps)
        check_least("weight_decay value", weight_decay)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": counter(), "square_avg": filled_for(param), "acc_delta": filled_for(param)}

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """See Note [Recorded steps]."""
        own = self._started(param, group)
        rho, eps = group["rho"], group["eps"]
        count_step(own, group, xla=False)
        grad = add_decay(param, grad, group["weight_decay"])
        grad, square, earlier = as_real(grad, own["square_avg"], own["acc_delta"])
        decay_square(square, grad, rho)
        root = square.add(eps).sqrt_()
        delta = earlier.add(eps).sqrt_().clone()
        delta.div_(root).mul_(grad)
        decay_square(earlier, delta, rho)
        if param.is_complex():
            delta = view_as_complex(delta)
        param.add_(delta, alpha=-scalar(group["lr"]))
