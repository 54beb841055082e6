"""torch.optim.Adadelta (torch: optim/adadelta.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._aten.pointwise.complex_parts import view_as_complex
from .._autograd.tensor import Tensor
from .._optim.argument_checks import check, check_least, check_rate
from .._optim.recorded_steps import add_decay, as_real, decay_square, scalar
from .._optim.step_kernels import (
    add_product,
    count_step,
    counter,
    decayed_square,
    gradient,
    number,
    parts,
    written,
    zeros_for,
)
from .optimizer import Optimizer, Params, added

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Adadelta: steps scaled by the ratio of the averages of earlier steps and gradients."""

    __module__ = "torch.optim.adadelta"
    _added = added("foreach maximize differentiable capturable")
    _once_numbers = ("step",)

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
        return {"step": counter(), "square_avg": zeros_for(param), "acc_delta": zeros_for(param)}

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        rho, eps = group["rho"], group["eps"]
        for param in params:
            own = self._started(param, group)
            count_step(own, group, xla=False)
            grad = gradient(param, group, group["weight_decay"])
            root = np.sqrt(decayed_square(own["square_avg"], grad, rho) + eps)
            delta = np.sqrt(parts(own["acc_delta"]._array) + eps) / root * grad
            decayed_square(own["acc_delta"], delta, rho)
            add_product(written(param), delta, -number(group["lr"]))

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """A differentiable step, see Note [Recorded steps]."""
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
