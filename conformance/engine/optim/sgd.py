"""torch.optim.SGD (torch: optim/sgd.py)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor
from .._optim.argument_checks import check, check_fused, check_single
from .._optim.recorded_steps import add_decay, requires_grad, scalar
from .optimizer import Optimizer, Params

__all__ = ["SGD"]


class SGD(Optimizer):
    """SGD with momentum, dampening, Nesterov momentum and weight decay."""

    __module__ = "torch.optim.sgd"

    def __init__(
        self, params: Params, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: Any = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_single(lr)
        settings = {"learning rate": lr, "momentum value": momentum, "weight_decay value": weight_decay}
        for name, value in settings.items():
            check(name, value, not value < 0.0)  # NaN is accepted, unlike in other optimizers
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)
        check_fused(defaults)

    _each_refuses_grad = False

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        new = {each for each in params if "momentum_buffer" not in self.state.get(each, {})}
        for param in params:
            if param in new:  # a parameter that occurs twice has no buffer both times
                self.state.get(param, {}).pop("momentum_buffer", None)
            self._take(param, group)

    def _step_sparse(self, group: dict[str, Any], params: list[Tensor]) -> None:
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients")
        for param in params:
            self._take(param, group)

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """See Note [Recorded steps]; the first momentum is the detached gradient."""
        momentum, lr = group["momentum"], scalar(group["lr"])
        grad = add_decay(param, grad, group["weight_decay"])
        if momentum:
            own = self.state[param]
            buffer = own.get("momentum_buffer")
            if buffer is None:
                buffer = own["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        if requires_grad(lr):
            param.addcmul_(grad, lr, value=-1)
        else:
            param.add_(grad, alpha=-lr)
