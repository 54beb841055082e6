"""torch.optim.Rprop (torch: optim/rprop.py)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_rate
from .._optim.recorded_steps import as_real
from .._optim.step_states import count_step, counter, filled_for, number
from .optimizer import Optimizer, Params

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Rprop: an adaptive step size for each element, by whether the gradient's sign changes."""

    __module__ = "torch.optim.rprop"

    def __init__(
        self, params: Params, lr: Any = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        size = filled_for(param.grad, number(group["lr"]))
        return {"step": counter(), "prev": filled_for(param), "step_size": size}

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """See Note [Recorded steps]."""
        own = self._started(param, group)
        shrink, grow = group["etas"]
        count_step(own, group, xla=True)
        param, grad, previous, size = as_real(param, grad, own["prev"], own["step_size"])
        sign = grad.mul(previous.clone()).sign()
        sign[sign.gt(0)] = grow
        sign[sign.lt(0)] = shrink
        sign[sign.eq(0)] = 1
        size.mul_(sign).clamp_(*group["step_sizes"])
        grad = grad.clone()
        grad[sign.eq(shrink)] = 0
        param.addcmul_(grad.sign(), size, value=-1)
        for _ in range(1 + bool(group["foreach"])):  # torch writes twice with foreach
            previous.copy_(grad)
