"""Adam and its kin: running means of the gradient and of its square; torch's single-tensor code, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import Tensor
from . import differentiable
from .optimizer import Optimizer, Params, added
from .steps import (
    Array,
    check_betas,
    check_fused,
    check_least,
    check_rate,
    count_step,
    counter,
    decayed_square,
    gradient,
    lerp,
    number,
    written,
    zeros_for,
)


def _check(lr: Any, betas: tuple[Any, Any], eps: float, weight_decay: float) -> None:
    check_rate(lr)
    check_least("epsilon value", eps)
    check_betas(betas)
    check_least("weight_decay value", weight_decay)


class Adam(Optimizer):
    """Adam: both means corrected for their start at 0."""

    __module__ = "torch.optim.adam"
    _added = added("amsgrad maximize foreach capturable differentiable decoupled_weight_decay fused")
    _once_numbers = ("step",)

    def __init__(
        self, params: Params, lr: Any = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        _check(lr, betas, eps, weight_decay)
        if not any(all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        for index, beta in enumerate(betas):
            if not isinstance(beta, Tensor):
                continue
            if foreach and not capturable:
                raise ValueError(
                    f"betas[{index}] as a Tensor is not supported for capturable=False and foreach=True"
                )
            if beta.numel() != 1:
                raise ValueError(f"Tensor betas[{index}] must be 1-element")
        defaults = {
            "lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_fused(defaults)

    _record = differentiable.adam

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return _means(param) | ({"max_exp_avg_sq": zeros_for(param)} if group["amsgrad"] else {})

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        beta1, beta2 = map(number, group["betas"])
        lr = number(group["lr"])
        for param in params:
            own = self._started(param, group)
            steps = count_step(own, group)
            grad = decayed(param, group, lr)
            mean = lerp(own["exp_avg"], grad, 1 - beta1)
            square = decayed_square(own["exp_avg_sq"], grad, beta2)
            if group["amsgrad"]:
                largest = written(own["max_exp_avg_sq"])
                square = np.maximum(largest, square, out=largest)
            root = np.sqrt(square)
            root /= (1 - beta2**steps) ** 0.5
            root += group["eps"]
            array = written(param)
            array += mean * -(lr / (1 - beta1**steps)) / root


def _means(param: Tensor) -> dict[str, Any]:
    return {"step": counter(), "exp_avg": zeros_for(param), "exp_avg_sq": zeros_for(param)}


def decayed(param: Tensor, group: dict[str, Any], lr: float) -> Array:
    """The gradient with the weights' decay added, or alone with the weights themselves decayed."""
    if not group["decoupled_weight_decay"]:
        return gradient(param, group, group["weight_decay"])
    if group["weight_decay"]:
        array = written(param)
        array *= 1 - lr * group["weight_decay"]
    return gradient(param, group)


class AdamW(Adam):
    """Adam with the weights' decay apart from the gradient."""

    __module__ = "torch.optim.adamw"

    def __init__(
        self, params: Params, lr: Any = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


class Adamax(Optimizer):
    """Adamax: Adam with the largest gradient in place of the mean square."""

    __module__ = "torch.optim.adamax"
    _added = added("foreach maximize differentiable capturable")
    _once_numbers = ("step",)

    def __init__(
        self, params: Params, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False, differentiable: bool = False,
        capturable: bool = False,
    ) -> None:  # fmt: skip
        _check(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    _record = differentiable.adamax

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": counter(), "exp_avg": zeros_for(param), "exp_inf": zeros_for(param)}

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        beta1, beta2 = map(number, group["betas"])
        for param in params:
            own = self._started(param, group)
            steps = count_step(own, group)
            grad = gradient(param, group, group["weight_decay"])
            mean = lerp(own["exp_avg"], grad, 1 - beta1)
            largest = written(own["exp_inf"], 2)
            largest *= beta2
            np.maximum(largest, np.abs(grad) + group["eps"], out=largest)
            array = written(param)
            array += mean * -(number(group["lr"]) / (1 - beta1**steps)) / largest


class NAdam(Optimizer):
    """Adam with Nesterov's momentum."""

    __module__ = "torch.optim.nadam"
    _added = added("maximize foreach capturable differentiable decoupled_weight_decay")
    _once_numbers = ("step", "mu_product")

    def __init__(
        self, params: Params, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        _check(lr, betas, eps, weight_decay)
        check_least("momentum_decay value", momentum_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    _record = differentiable.nadam

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": counter(), "mu_product": counter(1.0), **_means(param)}

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


class RAdam(Optimizer):
    """Adam whose variance is held back while few steps are known."""

    __module__ = "torch.optim.radam"
    _added = added("foreach maximize differentiable decoupled_weight_decay capturable")
    _once_numbers = ("step",)

    def __init__(
        self, params: Params, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        _check(lr, betas, eps, weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    _record = differentiable.radam

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return _means(param)

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        beta1, beta2 = map(number, group["betas"])
        lr = number(group["lr"])
        for param in params:
            own = self._started(param, group)
            steps = count_step(own, group)
            grad = decayed(param, group, lr)
            mean = lerp(own["exp_avg"], grad, 1 - beta1)
            square = decayed_square(own["exp_avg_sq"], grad, beta2)
            correction = 1 - beta2**steps
            limit = 2 / (1 - beta2) - 1
            length = limit - 2 * steps * beta2**steps / correction
            update = mean / (1 - beta1**steps) * lr
            if length > 5.0:
                root = np.sqrt(square)
                root += group["eps"]
                rectified = (
                    (length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length)
                ) ** 0.5
                update = update * (correction**0.5 / root) * rectified
            array = written(param)
            array -= update
