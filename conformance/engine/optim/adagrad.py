"""torch.optim.Adagrad (torch: optim/adagrad.py)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_fused, check_least, check_rate
from .._optim.recorded_steps import add_decay, as_real, scalar
from .._optim.step_states import count_step, counter, filled_for, number
from .optimizer import Optimizer, Params

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    """Adagrad: the gradient divided by the root of the sum of its squares."""

    __module__ = "torch.optim.adagrad"

    def __init__(
        self, params: Params, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check_least("lr_decay value", lr_decay)
        check_least("weight_decay value", weight_decay)
        check_least("initial_accumulator_value value", initial_accumulator_value)
        check_least("epsilon value", eps)
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_fused(defaults)
        for group in self.param_groups:
            for param in group["params"]:
                self._started(param, group)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        total = filled_for(param, self.defaults["initial_accumulator_value"])
        return {"step": counter(), "sum": total}

    def _step_sparse(self, group: dict[str, Any], params: list[Tensor]) -> None:
        if group["fused"]:
            raise RuntimeError("`fused` does not support sparse grad or complex param")
        for param in params:
            self._take(param, group)

    def _record_sparse(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        own = self._started(param, group)
        steps = count_step(own, group)
        if group["weight_decay"]:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        rate = number(group["lr"]) / (1 + (steps - 1) * group["lr_decay"])
        grad = grad.coalesce()
        indices, values, size = grad._indices(), grad._values(), grad.size()
        own["sum"].add_(grad.new(indices, values.pow(2), size))
        root = own["sum"].sparse_mask(grad)._values().sqrt_().add_(group["eps"])
        param.add_(grad.new(indices, values / root, size), alpha=-rate)

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """See Note [Recorded steps]."""
        if grad.is_sparse:
            self._record_sparse(param, grad, group)
            return
        own = self._started(param, group)
        steps = count_step(own, group)
        rate = scalar(group["lr"]) / (1 + (steps - 1) * group["lr_decay"])
        grad = add_decay(param, grad, group["weight_decay"])
        param, grad, total = as_real(param, grad, own["sum"])
        total.addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, total.sqrt() + group["eps"], value=-rate)
