"""First-order optimizers; the arithmetic is torch's single-tensor code, step by step."""

from __future__ import annotations

from typing import Any

from ..creation import full_like, tensor, zeros_like
from ..tensor import Tensor
from .optimizer import Optimizer, Params, check, check_betas, decayed


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor) else value


class SGD(Optimizer):
    """Gradient descent, with momentum, dampening, Nesterov's variant and weight decay."""

    __module__ = "torch.optim.sgd"

    def __init__(
        self, params: Params, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: Any = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        check("learning rate", lr, lr >= 0.0)
        check("momentum value", momentum, momentum >= 0.0)
        check("weight_decay value", weight_decay, weight_decay >= 0.0)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            {
                "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
                "fused": fused,
            },
        )  # fmt: skip

    def update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        momentum, lr = group["momentum"], _number(group["lr"])
        for param in params:
            grad = decayed(param, group)
            if momentum:
                state = self.state[param]
                buffer = state.get("momentum_buffer")
                if buffer is None:
                    buffer = state["momentum_buffer"] = grad.detach().clone()
                else:
                    buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
                grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
            param.add_(grad, alpha=-lr)


class Adam(Optimizer):
    """Adam: means of the gradient and of its square, corrected for their start at 0."""

    __module__ = "torch.optim.adam"

    def __init__(
        self, params: Params, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        check("learning rate", lr, lr >= 0.0)
        check("epsilon value", eps, eps >= 0.0)
        check_betas(betas)
        check("weight_decay value", weight_decay, weight_decay >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
                "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
                "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
            },
        )  # fmt: skip

    def update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        beta1, beta2 = group["betas"]
        lr = _number(group["lr"])
        for param in params:
            state = self.state[param]
            if not state:
                state["step"] = tensor(0.0)
                state["exp_avg"] = zeros_like(param)
                state["exp_avg_sq"] = zeros_like(param)
                if group["amsgrad"]:
                    state["max_exp_avg_sq"] = zeros_like(param)
            state["step"].add_(1)
            if group["decoupled_weight_decay"]:
                grad = -param._grad if group["maximize"] else param._grad  # type: ignore[operator]
                if group["weight_decay"]:
                    param.mul_(1 - lr * group["weight_decay"])
            else:
                grad = decayed(param, group)
            state["exp_avg"].lerp_(grad, 1 - beta1)
            state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
            step = state["step"].item()
            step_size = lr / (1 - beta1**step)
            correction = (1 - beta2**step) ** 0.5
            second = state["exp_avg_sq"]
            if group["amsgrad"]:
                second = state["max_exp_avg_sq"].copy_(state["max_exp_avg_sq"].maximum(second))
            denominator = (second.sqrt() / correction).add_(group["eps"])
            param.addcdiv_(state["exp_avg"], denominator, value=-step_size)


class AdamW(Adam):
    """Adam with the weights' decay apart from the gradient."""

    __module__ = "torch.optim.adamw"

    def __init__(
        self, params: Params, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip


class RMSprop(Optimizer):
    """RMSprop: the gradient over the root of its mean square."""

    __module__ = "torch.optim.rmsprop"

    def __init__(
        self, params: Params, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check("learning rate", lr, lr >= 0.0)
        check("epsilon value", eps, eps >= 0.0)
        check("momentum value", momentum, momentum >= 0.0)
        check("weight_decay value", weight_decay, weight_decay >= 0.0)
        check("alpha value", alpha, alpha >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
                "differentiable": differentiable,
            },
        )  # fmt: skip

    def update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        alpha, lr = group["alpha"], _number(group["lr"])
        for param in params:
            state = self.state[param]
            if not state:
                state["step"] = tensor(0.0)
                state["square_avg"] = zeros_like(param)
                if group["momentum"] > 0:
                    state["momentum_buffer"] = zeros_like(param)
                if group["centered"]:
                    state["grad_avg"] = zeros_like(param)
            grad = decayed(param, group)
            state["step"].add_(1)
            state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
            if group["centered"]:
                mean = state["grad_avg"].lerp_(grad, 1 - alpha)
                root = state["square_avg"].addcmul(mean, mean, value=-1).sqrt_()
            else:
                root = state["square_avg"].sqrt()
            root = root.add_(group["eps"])
            if group["momentum"] > 0:
                state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, root)
                param.add_(state["momentum_buffer"], alpha=-lr)
            else:
                param.addcdiv_(grad, root, value=-lr)


class Adagrad(Optimizer):
    """Adagrad: the gradient over the root of the sum of its squares."""

    __module__ = "torch.optim.adagrad"

    def __init__(
        self, params: Params, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check("learning rate", lr, lr >= 0.0)
        check("lr_decay value", lr_decay, lr_decay >= 0.0)
        check("weight_decay value", weight_decay, weight_decay >= 0.0)
        check("initial_accumulator_value value", initial_accumulator_value, initial_accumulator_value >= 0.0)
        check("epsilon value", eps, eps >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
                "differentiable": differentiable, "fused": fused,
            },
        )  # fmt: skip
        for group in self.param_groups:
            for param in group["params"]:
                start = full_like(param, group["initial_accumulator_value"])
                self.state[param] = {"step": tensor(0.0), "sum": start}

    def update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        for param in params:
            state = self.state[param]
            state["step"].add_(1)
            grad = decayed(param, group)
            rate = _number(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
            state["sum"].addcmul_(grad, grad, value=1)
            param.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-rate)


class Adadelta(Optimizer):
    """Adadelta: steps in the proportion of earlier steps to earlier gradients."""

    __module__ = "torch.optim.adadelta"

    def __init__(
        self, params: Params, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check("learning rate", lr, lr >= 0.0)
        check("rho value", rho, 0.0 <= rho <= 1.0)
        check("epsilon value", eps, eps >= 0.0)
        check("weight_decay value", weight_decay, weight_decay >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
                "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
            },
        )  # fmt: skip

    def update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        rho, eps = group["rho"], group["eps"]
        for param in params:
            state = self.state[param]
            if not state:
                state["step"] = tensor(0.0)
                state["square_avg"] = zeros_like(param)
                state["acc_delta"] = zeros_like(param)
            state["step"].add_(1)
            grad = decayed(param, group)
            state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
            root = state["square_avg"].add(eps).sqrt_()
            delta = state["acc_delta"].add(eps).sqrt_().div_(root).mul_(grad)
            state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
            param.add_(delta, alpha=-_number(group["lr"]))


class Adamax(Optimizer):
    """Adamax: Adam with the largest gradient in place of the mean square."""

    __module__ = "torch.optim.adamax"

    def __init__(
        self, params: Params, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        check("learning rate", lr, lr >= 0.0)
        check("epsilon value", eps, eps >= 0.0)
        check_betas(betas)
        check("weight_decay value", weight_decay, weight_decay >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
                "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
            },
        )  # fmt: skip

    def update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        beta1, beta2 = group["betas"]
        for param in params:
            state = self.state[param]
            if not state:
                state["step"] = tensor(0.0)
                state["exp_avg"] = zeros_like(param)
                state["exp_inf"] = zeros_like(param)
            state["step"].add_(1)
            grad = decayed(param, group)
            state["exp_avg"].lerp_(grad, 1 - beta1)
            largest = state["exp_inf"]
            largest.copy_(largest.mul_(beta2).maximum(grad.abs().add_(group["eps"])))
            rate = _number(group["lr"]) / (1 - beta1 ** state["step"].item())
            param.addcdiv_(state["exp_avg"], largest, value=-rate)
