"""torch.optim.Adamax (torch: optim/adamax.py)."""

from __future__ import annotations

from typing import Any

from .._aten.shape.cat_stack import cat
from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_adam
from .._optim.recorded_steps import add_decay, as_real, scalar
from .._optim.step_states import count_step, counter, filled_for
from .optimizer import Optimizer, Params

__all__ = ["Adamax"]


class Adamax(Optimizer):
    """Adamax: Adam with an exponentially weighted maximum in place of the mean square."""

    __module__ = "torch.optim.adamax"

    def __init__(
        self, params: Params, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        check_adam(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": counter(), "exp_avg": filled_for(param), "exp_inf": filled_for(param)}

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """See Note [Recorded steps]."""
        own = self._started(param, group)
        beta1, beta2 = group["betas"]
        steps = count_step(own, group)
        grad = add_decay(param, grad, group["weight_decay"])
        param, grad, mean, largest = as_real(param, grad, own["exp_avg"], own["exp_inf"])
        mean.lerp_(grad, 1 - beta1)
        both = [largest.mul_(beta2).unsqueeze(0), grad.abs().add_(group["eps"]).unsqueeze_(0)]
        largest.copy_(cat(both, 0).amax(0))
        param.addcdiv_(mean, largest, value=-(scalar(group["lr"]) / (1 - beta1**steps)))
