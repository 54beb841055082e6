"""torch.optim.Muon, which orthogonalizes momentum in bfloat16 (torch: optim/_muon.py)."""

from __future__ import annotations

import math
from typing import Any

from .._aten.blas.blas import addmm
from .._aten.creation.factories import zeros_like
from .._autograd.tensor import Tensor
from .._optim.step_states import number
from .optimizer import Optimizer, Params


class Muon(Optimizer):
    """Muon: orthogonalized momentum for the weight matrices of hidden layers.

    Raises:
        ValueError: a hyperparameter is out of range, or a parameter is not a matrix.
        RuntimeError: a parameter is complex, at the step.
    """

    __module__ = "torch.optim"

    def __init__(
        self, params: Params, lr: Any = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95, nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315), eps: float = 1e-7, ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for text, value in (("Learning rate", lr), ("momentum", momentum), ("weight decay", weight_decay)):
            if not value >= 0.0:
                raise ValueError(f"{text} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for each in group["params"]:
                if each.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {each.size()}"
                    )

    def _started(self, param: Tensor, group: dict[str, Any]) -> Any:
        if param.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        return super()._started(param, group)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"momentum_buffer": zeros_like(param.grad)}

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        for param in params:
            self._started(param, group)
        rate, momentum = number(group["lr"]), group["momentum"]
        for each in params:
            updated: Any = each
            grad: Any = each.grad
            buffer = self.state[each]["momentum_buffer"].lerp_(grad, 1 - momentum)
            update = grad.lerp(buffer, momentum) if group["nesterov"] else buffer
            update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
            updated.mul_(float(1 - rate * group["weight_decay"]))
            updated.add_(update, alpha=-float(_adjusted(rate, group["adjust_lr_fn"], *each.shape)))


def _orthogonal(grad: Any, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """An approximation of the nearest orthogonal matrix, by Newton-Schulz iterations."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = grad.size(0) > grad.size(1)
    found = grad.bfloat16().T if tall else grad.bfloat16()
    found.div_(found.norm().clamp(min=eps))
    for _ in range(steps):
        gram = found @ found.T
        found = addmm(found, addmm(gram, gram, gram, beta=b, alpha=c), found, beta=a)
    return found.T if tall else found


def _adjusted(rate: Any, how: str | None, rows: int, columns: int) -> Any:
    """The learning rate adjusted to a matrix's shape."""
    if how == "match_rms_adamw":
        return rate * (0.2 * math.sqrt(max(rows, columns)))
    return rate * math.sqrt(max(1, rows / columns))
