"""torch.optim.NAdam (torch: optim/nadam.py)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_adam, check_least
from .._optim.recorded_steps import as_real, decay_square, decayed, scalar
from .._optim.step_states import (
    adam_state,
    count_step,
    counter,
)
from .optimizer import Optimizer, Params

__all__ = ["NAdam"]


class NAdam(Optimizer):
    """NAdam: Adam with Nesterov momentum."""

    __module__ = "torch.optim.nadam"

    def __init__(
        self, params: Params, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_adam(lr, betas, eps, weight_decay)
        check_least("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": counter(), "mu_product": counter(1.0), **adam_state(param)}

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """See Note [Recorded steps]."""
        own = self._started(param, group)
        lr, (beta1, beta2), decay = scalar(group["lr"]), group["betas"], group["momentum_decay"]
        param, grad, mean, square = as_real(param, grad, own["exp_avg"], own["exp_avg_sq"])
        steps = count_step(own, group, f"params, mu_products{',' * bool(group['foreach'])} and state_steps")
        grad = decayed(param, grad, group, lr)
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (steps * decay))
        following = beta1 * (1.0 - 0.5 * 0.96 ** ((steps + 1) * decay))
        product = own["mu_product"]
        product.mul_(mu)
        mean.lerp_(grad, 1 - beta1)
        decay_square(square, grad, beta2)
        root = square.div(1 - beta2**steps).sqrt().add(group["eps"])
        after = product * following
        if not group["differentiable"]:
            product, after = product.item(), after.item()
            param.addcdiv_(grad, root, value=-lr * (1.0 - mu) / (1.0 - product))
            param.addcdiv_(mean, root, value=-lr * following / (1.0 - after))
            return
        grad = grad * (-lr * (1.0 - mu) / (1.0 - product))
        mean = mean * (-lr * following / (1.0 - after))
        param.addcdiv_(grad, root)
        param.addcdiv_(mean, root)
