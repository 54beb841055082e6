"""torch.optim.ASGD (torch: optim/asgd.py)."""

from __future__ import annotations

from typing import Any

from .._aten.creation.from_data import as_tensor
from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_least, check_rate
from .._optim.recorded_steps import add_decay, as_real, scalar
from .._optim.step_states import count_step, counter, filled_for, number
from .optimizer import Optimizer, Params

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """ASGD: averaged stochastic gradient descent."""

    __module__ = "torch.optim.asgd"

    def __init__(
        self, params: Params, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check_least("weight_decay value", weight_decay)
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        rate = counter(number(group["lr"]))
        return {"step": counter(), "eta": rate, "mu": counter(1.0), "ax": filled_for(param)}

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """See Note [Recorded steps]."""
        own = self._started(param, group)
        lr, lambd = scalar(group["lr"]), group["lambd"]
        grad = add_decay(param, grad, group["weight_decay"])
        param, grad, mean = as_real(param, grad, own["ax"])
        steps = count_step(own, group, "params, mus, etas, and state_steps")
        eta = own["eta"].item()
        if group["foreach"]:
            param.add_(grad.add(param, alpha=lambd), alpha=-eta)
        else:
            param.mul_(1 - lambd * eta).add_(grad, alpha=-eta)
        if own["mu"].item() != 1:
            mean.add_(param.sub(mean).mul_(own["mu"]))
        else:
            mean.copy_(param)
        own["eta"].copy_(as_tensor(lr / ((1 + lambd * lr * steps) ** group["alpha"])))
        own["mu"].copy_(as_tensor(1 / max(1, steps - group["t0"])))
