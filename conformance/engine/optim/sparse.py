"""Steps along sparse gradients, and SparseAdam; the arithmetic is torch's, on tensors (torch: optim/_functional.py)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..formats import Unstrided
from ..modes import enable_grad, no_grad
from ..sparse.construction import sparse_coo_tensor
from ..sparse.legacy import new
from ..tensor import Tensor
from .optimizer import Optimizer, Params
from .steps import check, check_betas, check_rate, count_step, number, zeros_for

Group = dict[str, Any]


def step(optimizer: Any, group: Group, params: list[Tensor]) -> None:
    """One step of a group of which some gradient is sparse.

    Raises:
        RuntimeError: the optimizer takes none; the parameters before have their states then.
    """
    name = _NAMES.get(type(optimizer).__name__, type(optimizer).__name__)
    if name in _FUSED and group["fused"]:
        raise RuntimeError(_FUSED[name])
    for param in params:
        if name not in _FUSED:
            if isinstance(param.grad._array, Unstrided):  # type: ignore[union-attr]
                raise RuntimeError(f"{name} does not support sparse gradients{_INSTEAD.get(name, '')}")
            if name == "Adafactor":
                optimizer._start_parameter(param, param.grad)
            else:
                optimizer._started(param, group)
    for param in params:
        grad: Any = param.grad
        if group["maximize"]:
            grad = -grad
        if name == "Adagrad" and grad.is_sparse:
            _adagrad(optimizer, param, grad, group)
        else:
            optimizer._record(param, grad, group)


_NAMES = {"AdamW": "Adam"}
_INSTEAD = {"Adam": ", please consider SparseAdam instead"}
_FUSED = {
    "SGD": "`_fused_sgd` does not support sparse gradients",
    "Adagrad": "`fused` does not support sparse grad or complex param",
}  # those that take sparse gradients, and what they say of it where they are fused


def _adagrad(optimizer: Any, param: Any, grad: Any, group: Group) -> None:
    own = optimizer._started(param, group)
    steps = count_step(own, group)
    if group["weight_decay"]:
        raise RuntimeError("weight_decay option is not compatible with sparse gradients")
    rate = number(group["lr"]) / (1 + (steps - 1) * group["lr_decay"])
    grad = grad.coalesce()
    indices, values, size = grad._indices(), grad._values(), grad.size()
    own["sum"].add_(sparse_coo_tensor(indices, values.pow(2), size))
    root = own["sum"].sparse_mask(grad)._values().sqrt_().add_(group["eps"])
    param.add_(sparse_coo_tensor(indices, values / root, size), alpha=-rate)


class SparseAdam(Optimizer):
    """Adam that moves, of parameters and of means, only what the sparse gradients tell of."""

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
        """Refuse parameters of a kind.

        Raises:
            ValueError: saying where they are.
        """
        groups = enumerate(self.param_groups)
        found = [[i, j] for i, group in groups for j, each in enumerate(group["params"]) if holds(each)]
        if found:
            raise ValueError(f"{kind} params at indices {found}: SparseAdam {what}")

    def step(self, closure: Any = None) -> Any:
        """Update the parameters that have a gradient; returns what ``closure`` returned."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                self._update(group, [each for each in group["params"] if each.grad is not None])
        return loss

    def _update(self, group: Group, params: list[Any]) -> None:
        for param in params:
            if not param.grad.is_sparse:
                raise RuntimeError(
                    "SparseAdam does not support dense gradients, please consider Adam instead"
                )
            self._started(param, group)["step"] += 1
        for param in params:
            self._move(param, group)

    def _start(self, param: Tensor, group: Group) -> Group:
        return {"step": 0, "exp_avg": zeros_for(param), "exp_avg_sq": zeros_for(param)}

    def _move(self, param: Any, group: Group) -> None:
        own, (beta1, beta2) = self.state[param], group["betas"]
        grad = (-param.grad if group["maximize"] else param.grad).coalesce()
        indices, values, size = grad._indices(), grad._values(), grad.size()
        if not values.numel():
            return
        old = own["exp_avg"].sparse_mask(grad)._values()
        change = values.sub(old).mul_(1 - beta1)
        own["exp_avg"].add_(new(grad, indices, change, size))
        old_square = own["exp_avg_sq"].sparse_mask(grad)._values()
        square = values.pow(2).sub_(old_square).mul_(1 - beta2)
        own["exp_avg_sq"].add_(new(grad, indices, square, size))
        mean = change.add_(old)
        root = square.add_(old_square).sqrt_().add_(group["eps"])
        steps = own["step"]
        length = number(group["lr"]) * math.sqrt(1 - beta2**steps) / (1 - beta1**steps)
        param.add_(new(grad, indices, -float(length) * mean.div_(root), size))
