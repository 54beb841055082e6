"""Running sums, products, extremes; differences and integrals along a dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import return_types
from ..modes import state
from ..rows import ROWS, Array, op
from ..shapes import wrap_dim, wrap_dims
from ..tensor import Tensor, make
from .extremes import store_several
from .joining import cat
from .scalars import over, times

# cumsum and cumprod -------------------------------------------------------------------------------


def _running(function: Any, self: Array, dim: Any, dtype: Any) -> Array:
    axis = wrap_dim(dim, self.ndim)
    kind = dtype.numpy if dtype is not None else np.dtype(np.int64) if self.dtype.kind in "iub" else self.dtype
    if self.ndim == 0:
        return self.astype(kind)
    if kind == np.float16:
        return function.accumulate(self.astype(np.float16), axis, dtype=np.float32).astype(np.float16)  # type: ignore[no-any-return]
    return function.accumulate(self.astype(kind, copy=False), axis, dtype=kind)  # type: ignore[no-any-return]


def _reversed_cumsum(tensor: Tensor, axis: int) -> Tensor:
    return tensor.flip(axis).cumsum(axis).flip(axis)  # type: ignore[no-any-return]


def _cumsum_backward(grad: Tensor, dim: Any) -> Tensor:
    if grad._array.size <= 1 or grad._array.shape[dim] == 1:
        return grad
    return _reversed_cumsum(grad, dim)


@op("CumsumBackward0", self=lambda grad, dim, _self_scalar_type: _cumsum_backward(grad.to(_self_scalar_type), dim))
def cumsum(self: Array, dim: Any, *, dtype: Any = None) -> Array:
    """The sum of the elements so far along a dimension."""
    return _running(np.add, self, dim, dtype)


@op(
    "CumprodBackward0",
    self=lambda grad, self, dim, result: _cumprod_backward(grad.to(self.dtype), self, dim, result),
)
def cumprod(self: Array, dim: Any, *, dtype: Any = None) -> Array:
    """The product of the elements so far along a dimension."""
    return _running(np.multiply, self, dim, dtype)


def _cumprod_backward(grad: Tensor, self: Tensor, dim: Any, result: Tensor) -> Tensor:
    if self._array.size <= 1:
        return grad
    axis = wrap_dim(dim, self._array.ndim)
    n = self._array.shape[axis]
    if n == 1:
        return grad
    if not np.any(self._array == 0):
        return _reversed_cumsum(result * grad, axis).div(self)  # type: ignore[no-any-return]
    if not state.recording:
        return make(_cumprod_gradient(grad._array, self._array, axis))
    # The second derivative asks for products without each element in turn.
    found = make(np.zeros(self._array.shape, grad._array.dtype))
    ones = make(np.ones([1 if i == axis else m for i, m in enumerate(self._array.shape)], grad._array.dtype))
    for k in range(n):
        if k == 0:
            omitted = cat([ones, _tail(self, axis, 1).cumprod(axis)], axis)
        elif k == n - 1:
            omitted = self.narrow(axis, 0, k).prod(axis, True)
        else:
            before = self.narrow(axis, 0, k).prod(axis, True)
            after = _tail(self, axis, k + 1).cumprod(axis)
            omitted = cat([before, before.expand_as(after) * after], axis)
        found.select(axis, k).copy_((_tail(grad, axis, k) * omitted).sum(axis))
    return found


def _tail(tensor: Tensor, axis: int, start: int) -> Tensor:
    return tensor.narrow(axis, start, tensor._array.shape[axis] - start)  # type: ignore[no-any-return]


def _cumprod_gradient(grad: Array, self: Array, axis: int) -> Array:
    """The gradient of cumprod where there are zeros: sums of products that leave one element out."""
    values, gradient = np.moveaxis(self, axis, -1), np.moveaxis(grad, axis, -1)
    found = np.zeros(values.shape, grad.dtype)
    n = values.shape[-1]
    before = np.ones(values.shape[:-1], grad.dtype)
    for k in range(n):
        after = np.multiply.accumulate(values[..., k + 1 :], -1)
        found[..., k] = before * (gradient[..., k] + (after * gradient[..., k + 1 :]).sum(-1))
        before = before * values[..., k]
    return np.moveaxis(found, -1, axis)


# cummax, cummin, logcumsumexp ---------------------------------------------------------------------


def _cummax_backward(grad: Tensor, self: Tensor, indices: Tensor, dim: Any) -> Tensor:
    if self._array.size == 0:
        return self
    zeros = make(np.zeros(self._array.shape, self._array.dtype))
    return zeros.scatter_add_(dim, indices, grad)  # type: ignore[no-any-return]


def _cumulative_extreme(name: str, node: str, function: Any, text: str) -> Any:
    def forward(self: Array, dim: Any) -> tuple[Array, Array]:
        axis = wrap_dim(dim, self.ndim)
        if self.ndim == 0:
            return self.copy(), np.zeros((), np.int64)
        values = function.accumulate(self, axis)
        # The index of the last element that made the value: equal ones move it on, and so does each nan.
        made = values == self
        if self.dtype.kind == "f":
            made |= np.isnan(self)
        number = np.arange(self.shape[axis]).reshape([-1 if i == axis else 1 for i in range(self.ndim)])
        return values, np.maximum.accumulate(np.where(made, number, 0), axis)

    forward.__name__ = name
    formula = {"self": lambda grad, self, indices, dim: _cummax_backward(grad, self, indices, dim)}
    row = op(node, outputs="values indices", returns=getattr(return_types, name), **formula)(forward)

    def run(input: Tensor, dim: Any = None, *, axis: Any = None, out: Any = None) -> Any:
        dim = axis if dim is None else dim
        return row(input, dim) if out is None else store_several(ROWS[name], out, input, dim)

    run.__name__, run.__doc__ = name, text
    return run


cummax = _cumulative_extreme("cummax", "CummaxBackward0", np.maximum, "The greatest element so far and its index.")
cummin = _cumulative_extreme("cummin", "CumminBackward0", np.minimum, "The least element so far and its index.")


def _logcumsumexp_backward(grad: Tensor, self: Tensor, result: Tensor, dim: Any) -> Tensor:
    if grad._array.ndim == 0 or grad._array.size == 0:
        return grad
    from .selection import where

    low = make(np.array(np.finfo(grad._array.dtype).min, grad._array.dtype))
    log_abs = grad.abs().log()
    positive, negative = where(grad > 0, log_abs, low), where(grad < 0, log_abs, low)

    def part(logs: Tensor) -> Tensor:
        return ((logs - result).flip(dim).logcumsumexp(dim).flip(dim) + self).exp()  # type: ignore[no-any-return]

    return part(positive) - part(negative)


@op(
    "LogcumsumexpBackward0",
    self=lambda grad, self, result, dim: _logcumsumexp_backward(grad, self, result, dim),
)
def logcumsumexp(self: Array, dim: Any) -> Array:
    """The logarithm of the sum of exponentials so far."""
    if self.dtype.kind != "f":
        from .. import dtypes

        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{dtypes.BY_NUMPY[self.dtype].legacy}'")
    axis = wrap_dim(dim, self.ndim)
    if self.ndim == 0:
        return self.copy()
    if self.dtype == np.float16:
        return np.logaddexp.accumulate(self.astype(np.float32), axis).astype(np.float16)
    return np.logaddexp.accumulate(self, axis)  # type: ignore[no-any-return]


# Differences, integrals ---------------------------------------------------------------------------


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Any = None
) -> Tensor:
    """The difference of neighbours along a dimension, n times."""
    if input._array.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    axis = wrap_dim(dim, input._array.ndim)
    for each in (prepend, append):
        _check_diff(input, axis, each)
    if prepend is not None or append is not None:
        if n == 0:
            return input.clone() if out is None else out.copy_(input)  # type: ignore[no-any-return]
        input = cat([each for each in (prepend, input, append) if each is not None], axis)
    elif n == 0:
        return input.clone() if out is None else out.copy_(input)  # type: ignore[no-any-return]
    length = input._array.shape[axis]
    result = input
    for turn in range(min(n, length)):
        size = result._array.shape[axis]
        ahead, behind = result.narrow(axis, 1, size - 1), result.narrow(axis, 0, size - 1)
        last = out if turn == min(n, length) - 1 else None
        if result._array.dtype.kind == "b":
            result = ahead.logical_xor(behind) if last is None else ROWS["logical_xor"].call(ahead, behind, out=last)
        else:
            result = ahead - behind if last is None else ROWS["sub"].call(ahead, behind, out=last)
    return result


def _check_diff(input: Tensor, axis: int, other: Tensor | None) -> None:
    if other is None:
        return
    if other._array.ndim != input._array.ndim:
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for i, (a, b) in enumerate(zip(other._array.shape, input._array.shape, strict=True)):
        if a != b and i != axis:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the differencing "
                f"dimension; input.size({i}) = {b}, but got tensor.size({i}) = {a}"
            )


def _pieces(y: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    n = y._array.shape[axis]
    return y.narrow(axis, 1, n - 1), y.narrow(axis, 0, n - 1)


def _spacing(y: Tensor, x: Tensor, axis: int) -> Tensor:
    if x._array.ndim == 1:
        if y._array.shape[axis] != x._array.shape[0]:
            raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
        shape = [-1 if i == axis else 1 for i in range(y._array.ndim)]
        x = x.view(shape)
        return x.narrow(axis, 1, x._array.shape[axis] - 1) - x.narrow(axis, 0, x._array.shape[axis] - 1)
    if x._array.ndim < y._array.ndim:
        x = x.view((1,) * (y._array.ndim - x._array.ndim) + x._array.shape)
    n = x._array.shape[axis]
    return x.narrow(axis, 1, n - 1) - x.narrow(axis, 0, n - 1)


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    """The integral along a dimension by the trapezoidal rule."""
    axis = wrap_dim(dim, y._array.ndim)
    if not y._array.ndim or not y._array.shape[axis]:
        shape = [m for i, m in enumerate(y._array.shape) if i != axis]
        return make(np.zeros(shape, y._array.dtype))
    if x is None:
        n = y._array.shape[axis]
        ends = over(y.select(axis, 0) + y.select(axis, n - 1), 2)
        return times(y.sum(axis) - ends, dx)  # type: ignore[no-any-return]
    if x._array.dtype.kind == "b":
        raise RuntimeError("trapezoid: received a bool input for `x`, but bool is not supported")
    ahead, behind = _pieces(y, axis)

    return over(((ahead + behind) * _spacing(y, x, axis)).sum(axis), 2.0)  # type: ignore[no-any-return]


trapz = trapezoid


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    """The integral so far along a dimension by the trapezoidal rule."""

    axis = wrap_dim(dim, y._array.ndim)
    ahead, behind = _pieces(y, axis)
    if x is None:
        return times((ahead + behind).cumsum(axis), dx / 2.0)  # type: ignore[no-any-return]
    return over(((ahead + behind) * _spacing(y, x, axis)).cumsum(axis), 2.0)  # type: ignore[no-any-return]


# gradient -----------------------------------------------------------------------------------------


def gradient(
    input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """The derivative along each dimension by central differences, one-sided at the ends."""
    ndim = input._array.ndim
    axes = wrap_dims(dim, ndim) if dim is not None else tuple(range(ndim))
    steps = _steps(spacing, len(axes), dim is None)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if input._array.dtype == np.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    for axis in axes:
        if input._array.shape[axis] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(_gradient_along(input, axis, step, edge_order) for axis, step in zip(axes, steps, strict=True))


def _steps(spacing: Any, count: int, every: bool) -> Sequence[Any]:
    if spacing is None:
        return [1.0] * count
    if isinstance(spacing, (tuple, list)):
        if len(spacing) != count:
            raise RuntimeError(
                f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
                f"{count}'" if every else f"torch.gradient expected spacing to have {count} entries, but got {len(spacing)}"
            )
        return spacing
    return [spacing] * count


def _gradient_along(y: Tensor, axis: int, step: Any, edge_order: int) -> Tensor:
    n = y._array.shape[axis]

    def at(start: int, length: int) -> Tensor:
        return y.narrow(axis, start, length)  # type: ignore[no-any-return]

    if isinstance(step, Tensor):
        shape = [-1 if i == axis else 1 for i in range(y._array.ndim)]
        apart = (step.narrow(0, 1, n - 1) - step.narrow(0, 0, n - 1)).reshape(shape)

        def gap(start: int, length: int) -> Any:
            return apart.narrow(axis, start, length)
    else:

        def gap(start: int, length: int) -> Any:
            return step

    inner = []
    if n > 2:
        inner = [_central(at, gap, n) if isinstance(step, Tensor) else (at(2, n - 2) - at(0, n - 2)) / (2 * step)]
    if edge_order == 1:
        first = (at(1, 1) - at(0, 1)) / gap(0, 1)
        last = (at(n - 1, 1) - at(n - 2, 1)) / gap(n - 2, 1)
    else:
        first = _one_sided(at(0, 1), at(1, 1), at(2, 1), gap(0, 1), gap(1, 1))
        last = -_one_sided(at(n - 1, 1), at(n - 2, 1), at(n - 3, 1), gap(n - 2, 1), gap(n - 3, 1))
    return cat([first, *inner, last], axis)


def _central(at: Callable[..., Tensor], gap: Callable[..., Any], n: int) -> Tensor:
    before, after = gap(0, n - 2), gap(1, n - 2)
    a = -after / (before * (before + after))
    b = (after - before) / (before * after)
    c = before / (after * (before + after))
    return a * at(0, n - 2) + b * at(1, n - 2) + c * at(2, n - 2)  # type: ignore[no-any-return]


def _one_sided(y0: Tensor, y1: Tensor, y2: Tensor, near: Any, far: Any) -> Tensor:
    a = -(2.0 * near + far) / (near * (near + far))
    b = (near + far) / (near * far)
    c = -near / (far * (near + far))
    return a * y0 + b * y1 + c * y2  # type: ignore[no-any-return]


PUBLIC = (
    "cummax", "cummin", "cumprod", "cumsum", "cumulative_trapezoid", "diff", "gradient", "logcumsumexp", "trapezoid", "trapz",
)  # fmt: skip
