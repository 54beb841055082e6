"""torch.optim.Adafactor, with factored second moments (torch: optim/_adafactor.py)."""

from __future__ import annotations

from typing import Any

from .._aten.creation.factories import zeros_like
from .._autograd.tensor import Tensor
from .._c10.dtypes import finfo
from .._optim.step_states import count_step, counter, number
from .optimizer import Optimizer, Params


class Adafactor(Optimizer):
    """Adafactor: clipped gradients over the root of their mean square, with steps relative to the parameter.

    Raises:
        ValueError: a hyperparameter is out of range.
        RuntimeError: a parameter is complex, at the step.
    """

    __module__ = "torch.optim._adafactor"

    def __init__(
        self, params: Params, lr: Any = 1e-2, beta2_decay: float = -0.8, eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0, weight_decay: float = 0.0, *, foreach: bool | None = None, maximize: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for text, value, valid in (
            ("Learning rate should be >= 0", lr, lr >= 0.0),
            ("beta2_decay should be <= 0", beta2_decay, beta2_decay <= 0.0),
            ("epsilon1 should be >= 0", eps[0], eps[0] is None or eps[0] >= 0.0),
            ("epsilon2 should be >= 0", eps[1], eps[1] >= 0.0),
            ("Clipping threshold d should be >= 1", d, d >= 1.0),
            ("weight_decay should be >= 0", weight_decay, weight_decay >= 0.0),
        ):
            if not valid:
                raise ValueError(f"{text} but is: {value}")
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _started(self, param: Tensor, group: dict[str, Any]) -> Any:
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        return super()._started(param, group)

    def _start(self, param: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        grad: Any = param.grad
        if grad.dim() <= 1:
            return {"step": counter(), "variance": zeros_like(grad)}
        rows, columns = (*grad.shape[:-1], 1), (*grad.shape[:-2], 1, grad.shape[-1])
        return {"step": counter(), "row_var": grad.new_zeros(rows), "col_var": grad.new_zeros(columns)}

    def _update(self, group: dict[str, Any], params: list[Tensor]) -> None:
        grads: list[Any] = [param.grad for param in params]
        for param in params:
            self._started(param, group)
        rate, smallest = number(group["lr"]), group["eps"][0]
        for param, grad in zip(params, grads, strict=True):
            if smallest is None:  # torch sets it for all later parameters too, whatever their dtype
                smallest = finfo(param.dtype).eps
            self._step(group, param, -grad if group["maximize"] else grad, rate, smallest)

    def _step(self, group: dict[str, Any], param: Any, grad: Any, rate: Any, smallest: float) -> None:
        own = self.state[param]
        steps = count_step(own, group)
        size = param.norm(2).item() / param.numel() ** 0.5
        length = max(group["eps"][1], size) * min(rate, 1 / steps**0.5)
        if group["weight_decay"] != 0:
            param.mul_(float(1 - rate * group["weight_decay"]))
        update = _mean_square(own, grad, steps ** group["beta2_decay"], smallest)
        update = update.clamp_(min=smallest * smallest).rsqrt_().mul_(grad)
        clipped = max(1.0, update.norm(2).item() / (update.numel() ** 0.5 * group["d"]))
        param.add_(update, alpha=-float(length / clipped))


def _mean_square(own: dict[str, Any], grad: Any, weight: float, smallest: float) -> Any:
    """The exponential average of the squared gradient, for a matrix factored into rows and columns."""
    if grad.dim() <= 1:
        return own["variance"].lerp_(grad * grad, weight).clone()
    for name, dim in (("row_var", -1), ("col_var", -2)):
        mean = grad.norm(dim=dim, keepdim=True).square_().div_(grad.size(dim))
        own[name].lerp_(mean, weight)
    rows = own["row_var"]
    return (rows @ own["col_var"]).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=smallest))
