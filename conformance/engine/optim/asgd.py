"""torch.optim.ASGD (torch: optim/asgd.py)."""

from __future__ import annotations

from typing import Any

from .._aten.creation.from_data import as_tensor
from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_least, check_rate
from .._optim.recorded_steps import add_decay, as_real, scalar
from .._optim.step_kernels import add_product, count_step, counter, gradient, number, written, zeros_for
from .optimizer import Optimizer, Params, added

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """ASGD: averaged stochastic gradient descent."""

    __module__ = "torch.optim.asgd"
    _added = added("foreach maximize differentiable capturable")
    _once_numbers = ("step", "eta", "mu")

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
        return {"step": counter(), "eta": rate, "mu": counter(1.0), "ax": zeros_for(param)}

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        lr, lambd = number(group["lr"]), group["lambd"]
        for param in params:
            own = self._started(param, group)
            steps = count_step(own, group, "params, mus, etas, and state_steps")
            grad = gradient(param, group, group["weight_decay"])
            eta, mu = own["eta"].item(), own["mu"].item()
            if group["foreach"]:  # the same step with different rounding
                array = written(param)
                grad = grad.copy()
                add_product(grad, array, lambd)
                array -= grad * array.dtype.type(eta)
                steps = own["step"]._array
            else:
                array = written(param, 2)
                array *= 1 - lambd * eta
                add_product(array, grad, -eta)
            mean = written(own["ax"])
            if group["foreach"]:
                mean += (array - mean) * array.dtype.type(mu)
            elif mu != 1:
                mean += (array - mean) * own["mu"]._array
            else:
                mean[...] = array
            base = (1 + lambd * lr * steps) ** group["alpha"]
            # Rounded as torch.as_tensor does, also where the states have another dtype.
            written(own["eta"])[...] = lr * (1 / base) if group["foreach"] else counter(lr / base)._array
            written(own["mu"])[...] = counter(1 / max(1, steps - group["t0"]))._array

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """A differentiable step, see Note [Recorded steps]."""
        own = self._started(param, group)
        lr, lambd = scalar(group["lr"]), group["lambd"]
        grad = add_decay(param, grad, group["weight_decay"])
        param, grad, mean = as_real(param, grad, own["ax"])
        steps = count_step(own, group, "params, mus, etas, and state_steps")
        eta = own["eta"].item()
        param.mul_(1 - lambd * eta)
        param.add_(grad, alpha=-eta)
        if own["mu"].item() != 1:
            mean.add_(param.sub(mean).mul_(own["mu"]))
        else:
            mean.copy_(param)
        own["eta"].copy_(as_tensor(lr / ((1 + lambd * lr * steps) ** group["alpha"])))
        own["mu"].copy_(as_tensor(1 / max(1, steps - group["t0"])))
