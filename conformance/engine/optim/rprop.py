"""torch.optim.Rprop (torch: optim/rprop.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_rate
from .._optim.recorded_steps import as_real
from .._optim.step_kernels import count_step, counter, gradient, number, parts, written, zeros_for
from .optimizer import Optimizer, Params, added

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Rprop: an adaptive step size for each element, by whether the gradient's sign changes."""

    __module__ = "torch.optim.rprop"
    _added = added("foreach maximize differentiable capturable")
    _once_numbers = ("step",)

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
        size = zeros_for(param.grad)
        parts(size._array).fill(number(group["lr"]))
        return {"step": counter(), "prev": zeros_for(param), "step_size": size}

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        shrink, grow = group["etas"]
        for param in params:
            own = self._started(param, group)
            count_step(own, group, xla=True)
            grad = gradient(param, group)
            product = grad * parts(own["prev"]._array)
            size = written(own["step_size"], 2)
            size *= np.where(product > 0, grow, np.where(product < 0, shrink, 1)).astype(size.dtype)
            np.clip(size, *group["step_sizes"], out=size)
            grad = np.where(product < 0, grad.dtype.type(0), grad)
            array = written(param)
            array -= np.sign(grad) * size
            written(own["prev"], 2 if group["foreach"] else 1)[...] = grad

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """A differentiable step, see Note [Recorded steps]."""
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
        previous.copy_(grad)
