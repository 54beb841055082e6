"""torch.optim.SparseAdam (torch: optim/sparse_adam.py, optim/_functional.py)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .._autograd.tensor import Tensor
from .._c10.modes import enable_grad, no_grad
from .._optim.argument_checks import check, check_betas, check_rate
from .._optim.step_states import filled_for, number
from .optimizer import Optimizer, Params

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam that updates only the elements that sparse gradients specify."""

    __module__ = "torch.optim.sparse_adam"

    def __init__(
        self, params: Params, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor):
            check_rate(lr)
        check("learning rate", lr, bool(lr > 0.0))
        check("epsilon value", eps, bool(eps > 0.0))
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        self._refuse("Sparse", "requires dense parameter tensors", lambda param: param.is_sparse)
        self._refuse("Complex", "does not support complex parameters", lambda param: param.is_complex())

    def _refuse(self, kind: str, what: str, holds: Callable[[Any], bool]) -> None:
        """Raise an error for parameters of a kind."""
        groups = enumerate(self.param_groups)
        found = [[i, j] for i, group in groups for j, each in enumerate(group["params"]) if holds(each)]
        if found:
            raise ValueError(f"{kind} params at indices {found}: SparseAdam {what}")

    def step(self, closure: Any = None) -> Any:
        """Update the parameters that have a gradient; returns the result of ``closure``."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                self._update(group, [each for each in group["params"] if each.grad is not None])
        return loss

    def _update(self, group: dict[str, Any], params: list[Any]) -> None:
        for param in params:
            if not param.grad.is_sparse:
                raise RuntimeError(
                    "SparseAdam does not support dense gradients, please consider Adam instead"
                )
            self._started(param, group)["step"] += 1
        for param in params:
            self._move(param, group)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"step": 0, "exp_avg": filled_for(param), "exp_avg_sq": filled_for(param)}

    def _move(self, param: Any, group: dict[str, Any]) -> None:
        own, (beta1, beta2) = self.state[param], group["betas"]
        grad = (-param.grad if group["maximize"] else param.grad).coalesce()
        indices, values, size = grad._indices(), grad._values(), grad.size()
        if not values.numel():
            return
        old = own["exp_avg"].sparse_mask(grad)._values()
        change = values.sub(old).mul_(1 - beta1)
        own["exp_avg"].add_(grad.new(indices, change, size))
        old_square = own["exp_avg_sq"].sparse_mask(grad)._values()
        square = values.pow(2).sub_(old_square).mul_(1 - beta2)
        own["exp_avg_sq"].add_(grad.new(indices, square, size))
        mean = change.add_(old)
        root = square.add_(old_square).sqrt_().add_(group["eps"])
        steps = own["step"]
        length = number(group["lr"]) * math.sqrt(1 - beta2**steps) / (1 - beta1**steps)
        param.add_(grad.new(indices, -float(length) * mean.div_(root), size))
