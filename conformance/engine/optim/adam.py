"""torch.optim.Adam (torch: optim/adam.py)."""

from __future__ import annotations

from typing import Any

from .._autograd.tensor import Tensor
from .._optim.argument_checks import check_adam, check_fused
from .._optim.recorded_steps import as_real, decay_square, decayed, requires_grad, scalar
from .._optim.step_states import (
    adam_state,
    count_step,
    filled_for,
)
from .optimizer import Optimizer, Params

__all__ = ["Adam"]


class Adam(Optimizer):
    """Adam: bias-corrected averages of gradients and their squares."""

    __module__ = "torch.optim.adam"
    _sparse_error = "Adam does not support sparse gradients, please consider SparseAdam instead"

    def __init__(
        self, params: Params, lr: Any = 1e-3, betas: tuple[Any, Any] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize: bool = False,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_adam(lr, betas, eps, weight_decay)
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

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return adam_state(param) | ({"max_exp_avg_sq": filled_for(param)} if group["amsgrad"] else {})

    def _record(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        """With ``differentiable``, bias corrections are tensors. See Note [Recorded steps]."""
        own = self._started(param, group)
        if own["step"].requires_grad:
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        lr, (beta1, beta2) = scalar(group["lr"]), map(scalar, group["betas"])
        count_step(own, group)
        grad = decayed(param, grad, group, lr)
        param, grad, mean, square = as_real(param, grad, own["exp_avg"], own["exp_avg_sq"])
        mean.lerp_(grad, 1 - (beta1.to(dtype=param.dtype) if isinstance(beta1, Tensor) else beta1))
        if requires_grad(beta2):
            square.lerp_(grad.square(), 1 - beta2)
        else:
            decay_square(square, grad, beta2)
        if not group["differentiable"]:
            _step_with_numbers(param, mean, square, group, own, lr, beta1, beta2)
            return
        correction1, correction2 = (
            1 - beta ** (own["step"].clone() if requires_grad(beta) else own["step"])
            for beta in (beta1, beta2)
        )
        size = (lr / correction1).neg()
        scale = correction2.sqrt()
        if group["amsgrad"]:
            (largest,) = as_real(own["max_exp_avg_sq"])
            largest.copy_(largest.clone().maximum(square))
            square = largest
        root = (square.sqrt() / (scale * size)).add_(group["eps"] / size)
        param.addcdiv_(mean.clone(), root)


def _step_with_numbers(
    param: Any,
    mean: Any,
    square: Any,
    group: dict[str, Any],
    own: dict[str, Any],
    lr: Any,
    beta1: Any,
    beta2: Any,
) -> None:
    """The end of an Adam step that is not recorded, with bias corrections as numbers."""
    steps = own["step"].item()
    if group["amsgrad"]:
        (largest,) = as_real(own["max_exp_avg_sq"])
        square = largest.copy_(largest.maximum(square))
    root = (square.sqrt() / (1 - beta2**steps) ** 0.5).add_(group["eps"])
    param.addcdiv_(mean, root, value=-(lr / (1 - beta1**steps)))
