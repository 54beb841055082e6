"""First-order optimizers without Adam's means; the arithmetic is torch's single-tensor code, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..fused import add_product, multiply_add
from ..tensor import Tensor
from . import differentiable
from .optimizer import Optimizer, Params, added
from .steps import (
    check,
    check_fused,
    check_least,
    check_rate,
    check_single,
    count_step,
    counter,
    decayed_square,
    gradient,
    lerp,
    number,
    parts,
    written,
    zeros_for,
)


class SGD(Optimizer):
    """Gradient descent, with momentum, dampening, Nesterov's variant and weight decay."""

    __module__ = "torch.optim.sgd"
    _added = added("nesterov maximize foreach differentiable fused", fused=False)

    def __init__(
        self, params: Params, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: Any = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_single(lr)
        settings = {"learning rate": lr, "momentum value": momentum, "weight_decay value": weight_decay}
        for name, value in settings.items():
            check(name, value, not value < 0.0)  # NaN passes, which other optimizers refuse
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)
        check_fused(defaults)

    _record = differentiable.sgd
    _each_refuses_grad = False

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        momentum, lr = group["momentum"], number(group["lr"])
        # asked for before the first step: a parameter that is there twice lacks its buffer twice
        buffers = [self.state[each].get("momentum_buffer") if momentum else None for each in params]
        for param, buffer in zip(params, buffers, strict=True):
            grad = gradient(param, group, group["weight_decay"])
            if momentum:
                if buffer is None:
                    buffer = self.state[param]["momentum_buffer"] = zeros_for(param.grad)
                    parts(buffer._array)[...] = grad
                else:
                    array = written(buffer, 2)
                    array *= momentum
                    add_product(array, grad, 1 - group["dampening"])
                mean = parts(buffer._array)
                if group["nesterov"]:
                    grad = grad.copy()
                    add_product(grad, mean, momentum)
                else:
                    grad = mean
            add_product(written(param), grad, -lr)


class RMSprop(Optimizer):
    """RMSprop: the gradient over the root of its mean square."""

    __module__ = "torch.optim.rmsprop"
    _added = added("momentum centered foreach maximize differentiable capturable", momentum=0)
    _once_numbers = ("step",)

    def __init__(
        self, params: Params, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        check_rate(lr)
        check_least("epsilon value", eps)
        check_least("momentum value", momentum)
        check_least("weight_decay value", weight_decay)
        check_least("alpha value", alpha)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    _record = differentiable.rmsprop

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        names = [
            "square_avg",
            *["momentum_buffer"] * (group["momentum"] > 0),
            *["grad_avg"] * group["centered"],
        ]
        return {"step": counter(), **{name: zeros_for(param) for name in names}}

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        alpha, lr = group["alpha"], number(group["lr"])
        for param in params:
            own = self._started(param, group)
            count_step(own, group, xla=True)
            grad = gradient(param, group, group["weight_decay"])
            square = decayed_square(own["square_avg"], grad, alpha)
            if group["centered"]:
                mean = lerp(own["grad_avg"], grad, 1 - alpha)
                square = np.asarray(multiply_add(-mean, mean, square))
            root = np.sqrt(square)
            root += group["eps"]
            if group["momentum"] > 0:
                buffer = written(own["momentum_buffer"], 2)
                buffer *= group["momentum"]
                buffer += grad / root
                add_product(written(param), buffer, -lr)
            else:
                array = written(param)
                array += grad * -lr / root


class Adagrad(Optimizer):
    """Adagrad: the gradient over the root of the sum of its squares."""

    __module__ = "torch.optim.adagrad"
    _added = added("foreach maximize differentiable fused")
    _once_numbers = ("step",)

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

    _record = differentiable.adagrad

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        total = zeros_for(param)
        parts(total._array).fill(self.defaults["initial_accumulator_value"])
        return {"step": counter(), "sum": total}

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        for param in params:
            own = self._started(param, group)
            steps = count_step(own, group)
            grad = gradient(param, group, group["weight_decay"])
            rate = number(group["lr"]) / (1 + (steps - 1) * group["lr_decay"])
            total = written(own["sum"])
            total[...] = multiply_add(grad, grad, total)
            root = np.sqrt(total)
            root += group["eps"]
            array = written(param)
            array += grad * -rate / root


class Adadelta(Optimizer):
    """Adadelta: steps in the proportion of earlier steps to earlier gradients."""

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

    _record = differentiable.adadelta

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


class Rprop(Optimizer):
    """Rprop: a step size of its own for each element, by whether the gradient's sign stays."""

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

    _record = differentiable.rprop

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


class ASGD(Optimizer):
    """Gradient descent that also averages the parameters."""

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

    _record = differentiable.asgd

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
            if group["foreach"]:  # the same step, rounded otherwise
                array = written(param)
                grad = grad.copy()
                add_product(grad, array, lambd)
                array[...] = multiply_add(-grad, array.dtype.type(eta), array)
                steps = own["step"]._array
            else:
                array = written(param, 2)
                array *= 1 - lambd * eta
                add_product(array, grad, -eta)
            mean = written(own["ax"])
            if group["foreach"]:
                mean[...] = multiply_add(array - mean, array.dtype.type(mu), mean)
            elif mu != 1:
                mean += (array - mean) * own["mu"]._array
            else:
                mean[...] = array
            base = (1 + lambd * lr * steps) ** group["alpha"]
            # Rounded as torch.as_tensor does, also where the states have another dtype.
            written(own["eta"])[...] = lr * (1 / base) if group["foreach"] else counter(lr / base)._array
            written(own["mu"])[...] = counter(1 / max(1, steps - group["t0"]))._array
