"""torch.optim.NAdam (torch: optim/nadam.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_adam, check_least
from .._optim.recorded_steps import add_decay, as_real, decay_square, scalar
from .._optim.step_kernels import (
    adam_state,
    count_step,
    counter,
    decayed,
    decayed_square,
    lerp,
    number,
    written,
)
from .optimizer import Optimizer, Params, added

__all__ = ["NAdam"]


class NAdam(Optimizer):
    """NAdam: Adam with Nesterov momentum."""

    __module__ = "torch.optim.nadam"
    _added = added("maximize foreach capturable differentiable decoupled_weight_decay")
    _once_numbers = ("step", "mu_product")

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

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        beta1, beta2 = map(number, group["betas"])
        lr, decay = number(group["lr"]), group["momentum_decay"]
        for param in params:
            own = self._started(param, group)
            comma = "," * bool(group["foreach"])
            steps = count_step(own, group, f"params, mu_products{comma} and state_steps")
            grad = decayed(param, group, lr)
            mu = beta1 * (1.0 - 0.5 * 0.96 ** (steps * decay))
            following = beta1 * (1.0 - 0.5 * 0.96 ** ((steps + 1) * decay))
            product = written(own["mu_product"])
            product *= mu
            mean = lerp(own["exp_avg"], grad, 1 - beta1)
            root = np.sqrt(decayed_square(own["exp_avg_sq"], grad, beta2) / (1 - beta2**steps))
            root += group["eps"]
            array = written(param, 2)
            array += grad * (-lr * (1.0 - mu) / (1.0 - product.item())) / root
            array += mean * (-lr * following / (1.0 - product.item() * following)) / root

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """A differentiable step, see Note [Recorded steps]."""
        own = self._started(param, group)
        lr, (beta1, beta2), decay = scalar(group["lr"]), group["betas"], group["momentum_decay"]
        param, grad, mean, square = as_real(param, grad, own["exp_avg"], own["exp_avg_sq"])
        steps = count_step(own, group, f"params, mu_products{',' * bool(group['foreach'])} and state_steps")
        if group["decoupled_weight_decay"]:
            if group["weight_decay"]:
                param.mul_(1 - lr * group["weight_decay"])
        else:
            grad = add_decay(param, grad, group["weight_decay"])
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
