"""torch.optim.LBFGS (torch: optim/lbfgs.py).

Slopes and step lengths are 0-d tensors as in torch, since their rounding determines when the search ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.pointwise.complex_parts import view_as_real
from .._aten.shape.cat_stack import cat
from .._autograd.tensor import Tensor
from .._c10.modes import enable_grad, no_grad
from .._optim.argument_checks import check_rate
from .optimizer import Optimizer, Params

Evaluate = Callable[[Any, Any, Any], tuple[float, Tensor]]


def _cubic_interpolate(x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: Any = None) -> Any:
    """The minimum of the cubic through two points with slopes, clamped to the bounds."""
    low, high = bounds if bounds is not None else ((x1, x2) if x1 <= x2 else (x2, x1))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if x1 <= x2:
        place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        place = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(place, low), high)


class _Point:
    """A step length with its loss, gradient and directional derivative."""

    __slots__ = ("f", "g", "slope", "t")

    def __init__(self, t: Any, f: Any, g: Tensor, slope: Any) -> None:
        self.t, self.f, self.g, self.slope = t, f, g, slope


class _LineSearch:
    """A line search for a point that satisfies the strong Wolfe conditions."""

    def __init__(
        self, evaluate: Callable[[Any], tuple[float, Tensor]], d: Tensor, start: _Point, c1: float, c2: float,
        most: int,
    ) -> None:  # fmt: skip
        self.evaluate, self.d, self.start, self.c1, self.c2, self.most = evaluate, d, start, c1, c2, most
        self.evaluations = self.iteration = 0

    def point_at(self, t: Any) -> _Point:
        """Evaluate the point at a step length."""
        self.evaluations += 1
        loss, gradient = self.evaluate(t)
        return _Point(t, loss, gradient, gradient.dot(self.d))

    def lacks_decrease(self, point: _Point) -> Any:
        """Whether the sufficient decrease condition fails."""
        return point.f > self.start.f + self.c1 * point.t * self.start.slope

    def satisfies_curvature(self, point: _Point) -> Any:
        """Whether the curvature condition holds."""
        return abs(point.slope) <= -self.c2 * self.start.slope

    def bracket(self, t: Any) -> list[_Point]:
        """Bracket a point that satisfies the conditions: two points, or that point alone."""
        previous, new = self.start, self.point_at(t)
        while self.iteration < self.most:
            if self.lacks_decrease(new) or (self.iteration > 1 and new.f >= previous.f):
                return [previous, new]
            if self.satisfies_curvature(new):
                return [new]
            if new.slope >= 0:
                return [previous, new]
            bounds = (new.t + 0.01 * (new.t - previous.t), new.t * 10)
            t = _cubic_interpolate(previous.t, previous.f, previous.slope, new.t, new.f, new.slope, bounds)
            previous, new = new, self.point_at(t)
            self.iteration += 1
        return [self.start, new]

    def zoom(self, bracket: list[_Point], tolerance_change: float) -> _Point:
        """Shrink a bracket until its lowest point satisfies the conditions."""
        longest = self.d.abs().max()
        low, high = _order(bracket)
        stuck = False
        while len(bracket) > 1 and self.iteration < self.most:
            a, b = bracket
            if abs(b.t - a.t) * longest < tolerance_change:
                break
            t, stuck = _interpolate(a, b, stuck)
            new = self.point_at(t)
            self.iteration += 1
            if self.lacks_decrease(new) or new.f >= bracket[low].f:
                bracket[high] = new
                low, high = _order(bracket)
            else:
                if self.satisfies_curvature(new):
                    return new
                if new.slope * (bracket[high].t - bracket[low].t) >= 0:
                    bracket[high] = bracket[low]
                bracket[low] = new
        return bracket[low]


def _order(bracket: list[_Point]) -> tuple[int, int]:
    """The indices of the lower and the higher point."""
    return (0, 1) if bracket[0].f <= bracket[-1].f else (1, 0)


def _interpolate(a: _Point, b: _Point, stuck: bool) -> tuple[Any, bool]:
    """The cubic's minimum, moved inside if it repeatedly was near an end of the bracket, and whether it is near one."""
    t = _cubic_interpolate(a.t, a.f, a.slope, b.t, b.f, b.slope)
    left, right = min(a.t, b.t), max(a.t, b.t)
    margin = 0.1 * (right - left)
    if not min(right - t, t - left) < margin:
        return t, False
    if stuck or t >= right or t <= left:
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
    return t, True


def strong_wolfe(
    evaluate: Evaluate, x: Any, t: Any, d: Tensor, f: float, g: Tensor, slope: Any, c1: float = 1e-4, c2: float = 0.9,
    tolerance_change: float = 1e-9, max_ls: int = 25,
) -> tuple[float, Tensor, Any, int]:  # fmt: skip
    """The strong Wolfe line search: bracketing, then zoom."""
    start = _Point(0, f, g.clone(), slope)
    search = _LineSearch(lambda t: evaluate(x, t, d), d, start, c1, c2, max_ls)
    best = search.zoom(search.bracket(t), tolerance_change)
    return best.f, best.g, best.t, search.evaluations


def _real(tensor: Tensor) -> Tensor:
    """The tensor, a complex one as a real view."""
    return view_as_real(tensor) if tensor.is_complex() else tensor


class LBFGS(Optimizer):
    """L-BFGS; ``step`` requires a closure that computes the loss and gradients, which it calls several times."""

    __module__ = "torch.optim.lbfgs"

    def __init__(
        self, params: Params, lr: Any = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_rate(lr)
        defaults = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _gather_flat_grad(self) -> Tensor:
        grads = [p.new_zeros(p.shape) if p.grad is None else p.grad for p in self._params]
        return cat([_real(each.to_dense()).view(-1) for each in grads], 0)

    def _add_grad(self, step_size: Any, update: Tensor) -> None:
        by = step_size.item() if isinstance(step_size, Tensor) else step_size
        offset = 0
        for p in map(_real, self._params):
            n = p.numel()
            p.add_(update[offset : offset + n].view_as(p), alpha=by)
            offset += n

    def _evaluate(self, closure: Callable[[], Any]) -> Evaluate:
        def evaluate(x: Any, t: Any, d: Any) -> tuple[float, Tensor]:
            self._add_grad(t, d)
            loss = float(closure())
            gradient = self._gather_flat_grad()
            for param, value in zip(self._params, x, strict=True):
                param.copy_(value)
            return loss, gradient

        return evaluate

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Take up to ``max_iter`` quasi-Newton steps; returns the first loss."""
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        with no_grad():
            return self._search(enable_grad()(closure))

    def _search(self, closure: Callable[[], Any]) -> Any:
        group, own = self.param_groups[0], self.state[self._params[0]]
        own.setdefault("func_evals", 0)
        own.setdefault("n_iter", 0)
        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        own["func_evals"] += 1
        gradient = self._gather_flat_grad()
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first_loss
        memory = _Memory(own)
        rate = group["lr"]
        if isinstance(rate, Tensor) and rate.dim():
            rate = rate.squeeze()
        for iteration in range(1, group["max_iter"] + 1):
            own["n_iter"] += 1
            d = memory.direction(gradient, own, group["history_size"])
            if memory.gradient is None:
                memory.gradient = gradient.clone()
            else:
                memory.gradient.copy_(gradient)
            memory.loss = loss
            t: Any = rate
            if own["n_iter"] == 1:
                t = min(1.0, 1.0 / gradient.abs().sum()) * t
            memory.t = t
            slope = gradient.dot(d)
            if slope > -group["tolerance_change"]:
                break
            last = iteration == group["max_iter"]
            loss, gradient, t, count, small = self._move(
                closure, d, t, loss, gradient, slope, last, group["max_eval"] - evaluations
            )
            memory.t = t
            evaluations += count
            own["func_evals"] += count
            if last or evaluations >= group["max_eval"] or small:
                break
            if d.mul(t).abs().max() <= group["tolerance_change"]:
                break
            if abs(loss - memory.loss) < group["tolerance_change"]:
                break
        memory.store(own)
        return first_loss

    def _move(
        self, closure: Callable[[], Any], d: Tensor, t: Any, loss: float, gradient: Tensor, slope: Any, last: bool,
        most: int,
    ) -> tuple[float, Tensor, Any, int, Any]:  # fmt: skip
        """Take a step along a direction.

        Args:
            last: whether it is the last step, after which the closure is not evaluated.
            most: the maximum number of evaluations by the line search.

        Returns:
            The loss and gradient after the step, its length, the number of evaluations, and whether the gradient is small.
        """
        group = self.param_groups[0]
        count = 0
        if group["line_search_fn"] is not None:
            if group["line_search_fn"] != "strong_wolfe":
                raise RuntimeError("only 'strong_wolfe' is supported")
            x = [p.clone() for p in self._params]
            loss, gradient, t, count = strong_wolfe(
                self._evaluate(closure), x, t, d, loss, gradient, slope, max_ls=most
            )
            self._add_grad(t, d)
        else:
            self._add_grad(t, d)
            if last:
                return loss, gradient, t, count, False
            loss, count = float(closure()), 1
            gradient = self._gather_flat_grad()
        return loss, gradient, t, count, gradient.abs().max() <= group["tolerance_grad"]


class _Memory:
    """The history of steps and gradient differences, which approximates the inverse Hessian."""

    def __init__(self, own: dict[str, Any]) -> None:
        self.d, self.t = own.get("d"), own.get("t")
        self.dirs, self.stps, self.ro = own.get("old_dirs"), own.get("old_stps"), own.get("ro")
        self.diagonal: Any = own.get("H_diag")
        self.gradient, self.loss = own.get("prev_flat_grad"), own.get("prev_loss")

    def store(self, own: dict[str, Any]) -> None:
        own["d"], own["t"] = self.d, self.t
        own["old_dirs"], own["old_stps"], own["ro"] = self.dirs, self.stps, self.ro
        own["H_diag"] = self.diagonal
        own["prev_flat_grad"], own["prev_loss"] = self.gradient, self.loss

    def direction(self, gradient: Tensor, own: dict[str, Any], history_size: int) -> Tensor:
        """The next direction: first the negative gradient, later by the two-loop recursion."""
        if own["n_iter"] == 1:
            self.d = gradient.neg()
            self.dirs, self.stps, self.ro, self.diagonal = [], [], [], 1
            return self.d
        assert self.dirs is not None and self.stps is not None and self.ro is not None and self.d is not None
        y = gradient.sub(self.gradient)
        s = self.d.mul(self.t)
        ys = y.dot(s)
        if ys > 1e-10:
            if len(self.dirs) == history_size:
                self.dirs.pop(0)
                self.stps.pop(0)
                self.ro.pop(0)
            self.dirs.append(y)
            self.stps.append(s)
            self.ro.append(1.0 / ys)
            self.diagonal = ys / y.dot(y)
        al = own.setdefault("al", [None] * history_size)
        q = gradient.neg()
        for i in range(len(self.dirs) - 1, -1, -1):
            al[i] = self.stps[i].dot(q) * self.ro[i]
            q.add_(self.dirs[i], alpha=-al[i].item())
        self.d = q.mul(self.diagonal)
        for i in range(len(self.dirs)):
            beta = self.dirs[i].dot(self.d) * self.ro[i]
            self.d.add_(self.stps[i], alpha=(al[i] - beta).item())
        return self.d
