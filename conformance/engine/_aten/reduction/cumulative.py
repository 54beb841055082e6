"""cumsum, cumprod, cummax, cummin and logcumsumexp."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._autograd.views import increment_version
from ..._c10 import structseq
from ..._c10.dtypes import float_limits
from ..._c10.errors import need_fitting
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.shapes import wrap_dim
from ..inplace import run_inplace
from ..kernels import need_inexact, placed, refuse_bools
from ..pointwise.binary import log_add_exp
from ..pointwise.where_clamp import where
from ..registry import ROWS, Array, op
from ..shape.cat_stack import cat
from ..shape.clone_to import real_part
from ..shape.slice_select import slice_
from ..type_promotion import MISSING

# cumsum and cumprod -------------------------------------------------------------------------------


def _running(function: Any, self: Array, dim: Any, dtype: Any) -> Array:
    axis = wrap_dim(dim, self.ndim)
    self = real_part(self, dtype)
    kind = (
        dtype.numpy if dtype is not None else np.dtype(np.int64) if self.dtype.kind in "iub" else self.dtype
    )
    if self.ndim == 0 or not self.size:
        return self.astype(kind)
    refuse_bools("cumsum_out_cpu" if function is np.add else "cumprod_out_cpu", np.empty(0, kind))
    if kind.kind in "fV":  # accumulate in double precision and round each element
        result = function.accumulate(self.astype(kind, copy=False), axis, dtype=np.float64)
        return result.astype(kind, order="C", copy=False)
    return np.ascontiguousarray(function.accumulate(self.astype(kind, copy=False), axis, dtype=kind))


def _reversed_cumsum(tensor: Tensor, axis: int) -> Tensor:
    return tensor.flip(axis).cumsum(axis).flip(axis)


def _cumsum_backward(grad: Tensor, dim: Any) -> Tensor:
    if grad._array.size <= 1 or grad._array.shape[dim] == 1:
        return grad
    return _reversed_cumsum(grad, dim)


@op(
    "CumsumBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="along_dim",
    vmap_inplace="fallback",
    self=lambda grad, dim, _self_scalar_type: _cumsum_backward(grad.to(_self_scalar_type), dim),
)
def cumsum(self: Array, dim: Any, *, dtype: Any = None) -> Array:
    """Cumulative sums along a dimension."""
    return _running(np.add, self, dim, dtype)


@composite(vmap_inplace="fallback")
def cumsum_(self: Tensor, dim: Any, *, dtype: Any = None) -> Tensor:
    """cumsum, in place."""
    return _run_in_place("cumsum", self, dim, dtype)


@op(
    "CumprodBackward0",
    complex="holomorphic",
    tangent_writes=0,
    vmap="along_dim",
    vmap_inplace="fallback",
    self=lambda grad, self, dim, result: _cumprod_backward(grad.to(self.dtype), self, dim, result),
)
def cumprod(self: Array, dim: Any, *, dtype: Any = None) -> Array:
    """Cumulative products along a dimension."""
    return _running(np.multiply, self, dim, dtype)


@composite(vmap_inplace="fallback")
def cumprod_(self: Tensor, dim: Any, *, dtype: Any = None) -> Tensor:
    """cumprod, in place."""
    return _run_in_place("cumprod", self, dim, dtype)


def _run_in_place(name: str, self: Tensor, dim: Any, dtype: Any) -> Tensor:
    """Run in place: unlike out of place, integers are not promoted, and bool has no kernel."""
    own = self.dtype
    need_fitting(dtype in (None, own) and own.numpy.kind != "b", f"Tensor.{name}_")
    return run_inplace(ROWS[name], [self, dim, own if own.numpy.kind in "iu" else dtype])


def _zeroed(shape: tuple[int, ...], kind: np.dtype[Any]) -> Tensor:
    """Zeros of version 1: torch's formulas zero the memory in place."""
    zeros = make(np.zeros(shape, kind))
    increment_version(zeros)
    return zeros


def _cumprod_backward(grad: Tensor, self: Tensor, dim: Any, result: Tensor) -> Tensor:
    if self._array.size <= 1:
        return grad
    axis = wrap_dim(dim, self._array.ndim)
    n = self._array.shape[axis]
    if n == 1:
        return grad
    if not np.any(self._array == 0):
        return _reversed_cumsum(result * grad, axis).div(self)
    if not state.recording:
        return make(_cumprod_gradient(grad._array, self._array, axis))
    # With create_graph: differentiable products that omit one element each.
    found = _zeroed(self._array.shape, grad._array.dtype)
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
    return slice_(tensor, axis, start)


def _cumprod_gradient(grad: Array, self: Array, axis: int) -> Array:
    """The gradient of cumprod for an input with zeros: sums of products that omit one element each."""
    values, gradient = np.moveaxis(self, axis, -1), np.moveaxis(grad, axis, -1)
    result = np.zeros(values.shape, grad.dtype)
    n = values.shape[-1]
    before = np.ones(values.shape[:-1], grad.dtype)
    for k in range(n):
        after = np.multiply.accumulate(values[..., k + 1 :], -1)
        result[..., k] = before * (gradient[..., k] + (after * gradient[..., k + 1 :]).sum(-1))
        before = before * values[..., k]
    return np.ascontiguousarray(np.moveaxis(result, -1, axis))


# cummax, cummin, logcumsumexp ---------------------------------------------------------------------


def _cummax_backward(grad: Tensor, self: Tensor, indices: Tensor, dim: Any) -> Tensor:
    if self._array.size == 0:
        return self
    return placed(_zeroed(self._array.shape, self._array.dtype), "scatter_add_", dim, indices, grad)


def _cumulative_extreme(name: str, node: str, function: Any, text: str) -> Any:
    def forward(self: Array, dim: Any) -> tuple[Array, Array]:
        need_fitting(self.ndim or dim in (-1, 0), f"torch.{name}")
        axis = wrap_dim(dim, self.ndim)
        if self.ndim == 0:
            return self.copy(), np.zeros((), np.int64)
        values = function.accumulate(self, axis)
        # The index is that of the last element equal to the running extreme; every nan counts as equal.
        at_extreme = values == self
        if self.dtype.kind in "fV":
            at_extreme |= np.isnan(self)
        number = np.arange(self.shape[axis]).reshape([-1 if i == axis else 1 for i in range(self.ndim)])
        return values, np.maximum.accumulate(np.where(at_extreme, number, 0), axis)

    forward.__name__ = name
    formula = {"self": lambda grad, self, indices, dim: _cummax_backward(grad, self, indices, dim)}
    op(
        node,
        outputs="values indices",
        returns=getattr(structseq, name),
        no_complex=f"{name}_cpu",
        complex_if="empty or 0-d",
        vmap="along_dim",
        contiguous_result=True,
        **formula,
    )(forward)

    @composite(vmap="decompose", out=None)
    def run(input: Tensor, dim: Any = MISSING) -> Any:
        return ROWS[name].call(input, dim)

    run.__name__, run.__doc__ = name, text
    return run


cummax = _cumulative_extreme(
    "cummax", "CummaxBackward0", np.maximum, "The greatest element so far and its index."
)
cummin = _cumulative_extreme(
    "cummin", "CumminBackward0", np.minimum, "The least element so far and its index."
)


def _logcumsumexp_backward(grad: Tensor, self: Tensor, result: Tensor, dim: Any) -> Tensor:
    if grad._array.ndim == 0 or grad._array.size == 0:
        return grad

    if grad._array.dtype.kind == "c":
        logs = grad.conj().log()
        return ((logs - result).flip(dim).logcumsumexp(dim).flip(dim) + self).exp().conj()
    low = make(np.array(float_limits(grad._array.dtype).min, grad._array.dtype))
    log_abs = grad.abs().log()
    positive, negative = where(grad > 0, log_abs, low), where(grad < 0, log_abs, low)

    def part(logs: Tensor) -> Tensor:
        return ((logs - result).flip(dim).logcumsumexp(dim).flip(dim) + self).exp()

    return part(positive) - part(negative)


@op(
    "LogcumsumexpBackward0",
    complex="as_written",
    vmap="along_dim",
    contiguous_result=True,
    self=_logcumsumexp_backward,
)
def logcumsumexp(self: Array, dim: Any) -> Array:
    """The logarithm of the cumulative sum of exponentials."""
    need_inexact("logcumsumexp_out_cpu", self)
    axis = wrap_dim(dim, self.ndim)
    if self.ndim == 0:
        return self.copy()
    if self.dtype.kind == "c":
        lines = np.moveaxis(self, axis, 0)
        return np.moveaxis(np.stack([*accumulate(lines, log_add_exp)]), 0, axis) if self.size else self.copy()
    return np.logaddexp.accumulate(self, axis, dtype=np.float64).astype(self.dtype, copy=False)


PUBLIC = ("cummax", "cummin", "cumprod", "cumprod_", "cumsum", "cumsum_", "logcumsumexp")
