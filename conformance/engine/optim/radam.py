"""torch.optim.RAdam (torch: optim/radam.py)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_adam
from .._optim.recorded_steps import as_real, decay_square, decayed, scalar
from .._optim.step_states import adam_state, count_step
from .optimizer import Optimizer, Params

__all__ = ["RAdam"]


class RAdam(Optimizer):
    """RAdam: Adam with a rectified variance in early steps."""

    __module__ = "torch.optim.radam"

    def __init__(
        self, params: Params, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_adam(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return adam_state(param)

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """See Note [Recorded steps]."""
        own = self._started(param, group)
        lr, (beta1, beta2) = scalar(group["lr"]), group["betas"]
        param, grad, mean, square = as_real(param, grad, own["exp_avg"], own["exp_avg_sq"])
        steps = count_step(own, group)
        grad = decayed(param, grad, group, lr)
        mean.lerp_(grad, 1 - beta1)
        decay_square(square, grad, beta2)
        correction = 1 - beta2**steps
        limit = 2 / (1 - beta2) - 1
        length = limit - 2 * steps * beta2**steps / correction
        update = mean / (1 - beta1**steps) * lr
        if length > 5.0:
            rectified = ((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)) ** 0.5
            update = update * (correction**0.5 / square.sqrt().add(group["eps"])) * rectified
        param.add_(update, alpha=-1.0)
