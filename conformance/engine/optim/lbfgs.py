"""L-BFGS, a quasi-Newton method (torch: optim/lbfgs.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..modes import enable_grad, no_grad
from ..ops.shape import cat
from ..tensor import Tensor
from .optimizer import Optimizer, Params, check

Evaluate = Callable[[Any, Any, Any], tuple[float, Tensor]]


def _cubic_interpolate(
    x1: float, f1: float, g1: float, x2: float, f2: float, g2: float, bounds: tuple[float, float] | None = None
) -> float:
    """The minimum of the cubic through two points with their slopes, kept within the bounds."""
    low, high = bounds if bounds is not None else ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square**0.5
    if x1 <= x2:
        place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        place = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(place, low), high)


def strong_wolfe(
    evaluate: Evaluate, x: Any, t: float, d: Tensor, f: float, g: Tensor, gtd: float, c1: float = 1e-4,
    c2: float = 0.9, tolerance_change: float = 1e-9, max_ls: int = 25,
) -> tuple[float, Tensor, float, int]:  # fmt: skip
    """A step length that satisfies the strong Wolfe conditions: bracketing, then zooming in."""
    d_norm = float(d.abs().max().item())
    g = g.clone()
    f_new, g_new = evaluate(x, t, d)
    evaluations = 1
    gtd_new = float(g_new.dot(d).item())
    t_prev, f_prev, g_prev, gtd_prev = 0.0, f, g, gtd
    done = False
    iteration = 0
    while iteration < max_ls:
        if f_new > (f + c1 * t * gtd) or (iteration > 1 and f_new >= f_prev):
            bracket, values = [t_prev, t], [f_prev, f_new]
            grads, slopes = [g_prev, g_new.clone()], [gtd_prev, gtd_new]
            break
        if abs(gtd_new) <= -c2 * gtd:
            bracket, values, grads, slopes = [t], [f_new], [g_new], [gtd_new]
            done = True
            break
        if gtd_new >= 0:
            bracket, values = [t_prev, t], [f_prev, f_new]
            grads, slopes = [g_prev, g_new.clone()], [gtd_prev, gtd_new]
            break
        min_step, max_step = t + 0.01 * (t - t_prev), t * 10
        previous = t
        t = _cubic_interpolate(t_prev, f_prev, gtd_prev, t, f_new, gtd_new, (min_step, max_step))
        t_prev, f_prev, g_prev, gtd_prev = previous, f_new, g_new.clone(), gtd_new
        f_new, g_new = evaluate(x, t, d)
        evaluations += 1
        gtd_new = float(g_new.dot(d).item())
        iteration += 1
    else:
        bracket, values, grads, slopes = [0.0, t], [f, f_new], [g, g_new], [gtd, gtd_new]
    insufficient = False
    low, high = (0, 1) if len(values) == 1 or values[0] <= values[-1] else (1, 0)
    while not done and iteration < max_ls:
        if abs(bracket[1] - bracket[0]) * d_norm < tolerance_change:
            break
        t = _cubic_interpolate(bracket[0], values[0], slopes[0], bracket[1], values[1], slopes[1])
        eps = 0.1 * (max(bracket) - min(bracket))
        if min(max(bracket) - t, t - min(bracket)) < eps:
            if insufficient or t >= max(bracket) or t <= min(bracket):
                t = max(bracket) - eps if abs(t - max(bracket)) < abs(t - min(bracket)) else min(bracket) + eps
                insufficient = False
            else:
                insufficient = True
        else:
            insufficient = False
        f_new, g_new = evaluate(x, t, d)
        evaluations += 1
        gtd_new = float(g_new.dot(d).item())
        iteration += 1
        if f_new > (f + c1 * t * gtd) or f_new >= values[low]:
            bracket[high], values[high], grads[high], slopes[high] = t, f_new, g_new.clone(), gtd_new
            low, high = (0, 1) if values[0] <= values[1] else (1, 0)
        else:
            if abs(gtd_new) <= -c2 * gtd:
                done = True
            elif gtd_new * (bracket[high] - bracket[low]) >= 0:
                bracket[high], values[high] = bracket[low], values[low]
                grads[high], slopes[high] = grads[low], slopes[low]
            bracket[low], values[low], grads[low], slopes[low] = t, f_new, g_new.clone(), gtd_new
    return values[low], grads[low], bracket[low], evaluations


class LBFGS(Optimizer):
    """L-BFGS; ``step`` takes a closure that evaluates the loss and its gradients, and calls it many times."""

    __module__ = "torch.optim.lbfgs"

    def __init__(
        self, params: Params, lr: Any = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        check("learning rate", lr, lr >= 0.0)
        super().__init__(
            params,
            {
                "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _flat_grad(self) -> Tensor:
        parts = [
            p.new_zeros(p.numel()) if p._grad is None else p._grad.reshape(-1) for p in self._params
        ]
        return cat(parts, 0)

    def _move(self, t: Any, direction: Tensor) -> None:
        offset = 0
        for p in self._params:
            n = p.numel()
            p.add_(direction[offset : offset + n].view(p.shape), alpha=t)
            offset += n

    def _evaluate(self, closure: Callable[[], Any]) -> Evaluate:
        def evaluate(x: Any, t: Any, d: Any) -> tuple[float, Tensor]:
            self._move(t, d)
            loss = float(closure())
            gradient = self._flat_grad()
            for param, value in zip(self._params, x, strict=True):
                param.copy_(value)
            return loss, gradient

        return evaluate

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Up to ``max_iter`` quasi-Newton steps; returns the first loss."""
        if closure is None:
            raise TypeError("LBFGS.step() missing 1 required positional argument: 'closure'")
        with no_grad():
            return self._step(lambda: _with_grad(closure))

    def _step(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        lr = float(group["lr"])
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        gradient = self._flat_grad()
        if float(gradient.abs().max().item()) <= group["tolerance_grad"]:
            return first_loss
        d, t = state.get("d"), state.get("t")
        old_dirs, old_stps, ro = state.get("old_dirs"), state.get("old_stps"), state.get("ro")
        h_diag = state.get("H_diag")
        previous_gradient, previous_loss = state.get("prev_flat_grad"), state.get("prev_loss")
        iteration = 0
        while iteration < group["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d = gradient.neg()
                old_dirs, old_stps, ro, h_diag = [], [], [], 1
            else:
                y = gradient.sub(previous_gradient)
                s = d.mul(t)
                ys = y.dot(s)
                if float(ys.item()) > 1e-10:
                    if len(old_dirs) == group["history_size"]:
                        old_dirs.pop(0), old_stps.pop(0), ro.pop(0)
                    old_dirs.append(y)
                    old_stps.append(s)
                    ro.append(1.0 / ys)
                    h_diag = ys / y.dot(y)
                count = len(old_dirs)
                al = state.setdefault("al", [None] * group["history_size"])
                q = gradient.neg()
                for i in range(count - 1, -1, -1):
                    al[i] = old_stps[i].dot(q) * ro[i]
                    q.add_(old_dirs[i], alpha=-al[i].item())
                d = q.mul(h_diag)
                for i in range(count):
                    beta = old_dirs[i].dot(d) * ro[i]
                    d.add_(old_stps[i], alpha=(al[i] - beta).item())
            if previous_gradient is None:
                previous_gradient = gradient.clone()
            else:
                previous_gradient.copy_(gradient)
            previous_loss = loss
            t = min(1.0, 1.0 / float(gradient.abs().sum().item())) * lr if state["n_iter"] == 1 else lr
            slope = float(gradient.dot(d).item())
            if slope > -group["tolerance_change"]:
                break
            new_evaluations = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = [p.clone() for p in self._params]
                loss, gradient, t, new_evaluations = strong_wolfe(
                    self._evaluate(closure), start, t, d, loss, gradient, slope,
                    tolerance_change=group["tolerance_change"],
                )  # fmt: skip
                self._move(t, d)
                small = float(gradient.abs().max().item()) <= group["tolerance_grad"]
            else:
                self._move(t, d)
                small = False
                if iteration != group["max_iter"]:
                    loss = float(closure())
                    gradient = self._flat_grad()
                    small = float(gradient.abs().max().item()) <= group["tolerance_grad"]
                    new_evaluations = 1
            evaluations += new_evaluations
            state["func_evals"] += new_evaluations
            if iteration == group["max_iter"] or evaluations >= group["max_eval"] or small:
                break
            if float(d.mul(t).abs().max().item()) <= group["tolerance_change"]:
                break
            if abs(loss - previous_loss) < group["tolerance_change"]:
                break
        state.update(
            d=d, t=t, old_dirs=old_dirs, old_stps=old_stps, ro=ro, H_diag=h_diag, prev_flat_grad=previous_gradient,
            prev_loss=previous_loss,
        )  # fmt: skip
        return first_loss


def _with_grad(closure: Callable[[], Any]) -> Any:
    with enable_grad():
        return closure()
