"""sum, nansum, mean, nanmean, prod and logsumexp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._autograd.validate_outputs import is_expandable_to, sum_to
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.shapes import sizes, wrap_dim, wrap_dims
from ..creation.factories import zeros_like
from ..kernels import MANY, kept, need_floats
from ..registry import Array, op
from ..scalar_operands import over
from ..shape.cat_stack import cat
from ..shape.clone_to import real_part


def axes_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """The axes to reduce: those of dim, or all if it is None or empty."""
    if dim is None:
        return tuple(range(ndim))
    result = wrap_dims(dim, ndim)
    if not ndim:
        return ()
    return result or tuple(range(ndim))


def dims(dim: Any) -> Any:
    """One dimension or several, as a tuple; None stays None."""
    if dim is None:
        return None
    return tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)


ABSENT: Any = object()  # not passed; an explicit dim, even None, selects torch's overload with dimensions


def unsqueeze_multiple(tensor: Tensor, dim: Any, ndim: int) -> Tensor:
    """Unsqueeze the dimensions that a reduction removed."""
    if dim is not None:
        if not len(dim):
            return tensor
        if len(dim) == 1:
            return tensor.unsqueeze(dim[0])
    for axis in sorted(axes_of(dim, ndim)):
        tensor = tensor.unsqueeze(axis)
    return tensor


def add_up(array: Array, axes: tuple[int, ...] | None, kind: Any, keepdims: bool = False) -> Array:
    """A sum in the given dtype; half precision is added in single."""
    if dtypes.is_half(kind):
        return np.add.reduce(array, axis=axes, dtype=np.float32, keepdims=keepdims).astype(kind)
    return _total(array, axes, kind, keepdims)


_LONGEST = 512  # the most numbers that are added sequentially: longer lines lose precision


def _total(array: Array, axes: tuple[int, ...] | None, kind: Any, keepdims: bool) -> Array:
    """np.add.reduce; for large contiguous arrays np.einsum, which is vectorized."""
    if array.size < 4 * MANY or array.dtype != kind or kind.kind not in "fV" or not array.flags.c_contiguous:
        return np.add.reduce(array, axis=axes, dtype=kind, keepdims=keepdims)
    last = array.ndim if axes is None else len(axes)
    kept = array.shape[: array.ndim - last]
    inmost = axes is None or axes == tuple(range(len(kept), array.ndim))
    if not inmost or array.size < 64 * math.prod(kept):
        return np.add.reduce(array, axis=axes, dtype=kind, keepdims=keepdims)
    lines = array.reshape(*kept, -1)
    parts = -(-lines.shape[-1] // _LONGEST)
    end = lines.shape[-1] - lines.shape[-1] % parts
    sums = np.einsum("...i->...", lines[..., :end].reshape(*kept, parts, -1))
    result = np.add.reduce(sums, -1) + np.add.reduce(lines[..., end:], -1)
    return result.reshape(*kept, *[1] * last) if keepdims else result


def _sum_type(array: Array, dtype: Any) -> Any:
    if dtype is not None:
        return dtype.numpy
    return dtypes.I64 if array.dtype.kind in "iub" else array.dtype


# sum ----------------------------------------------------------------------------------------------


def sum_backward(grad: Tensor, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """The gradient of sum: expand it to the summed dimensions."""
    if not keepdim and shape and dim:
        grad = unsqueeze_multiple(grad, dim, len(shape))
    return grad.expand(shape)


@op(
    "SumBackward0",
    name="sum",
    complex="holomorphic",
    jvp="auto_linear",
    kernel_writes=1,
    vmap="full_reduction",
    self=lambda grad, self_sym_sizes: grad.expand(self_sym_sizes),
)
def _sum_all(self: Array, dtype: Any = None) -> Array:
    return add_up(real_part(self, dtype), None, _sum_type(self, dtype))


@op(
    "SumBackward1",
    name="sum_dim",
    overload="dim_IntList",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="reduction_dims",
    kernel_writes=1,
    operator="sum",
    self=lambda grad, self_sym_sizes, dim, keepdim: sum_backward(grad, self_sym_sizes, dim, keepdim),
)
def _sum_dim(self: Array, dim: Any, keepdim: bool = False, dtype: Any = None) -> Array:
    return add_up(real_part(self, dtype), axes_of(dim, self.ndim), _sum_type(self, dtype), keepdim)


@composite(vmap="decompose", out=True)
def sum(input: Tensor, dim: Any = ABSENT, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, or along dimensions."""
    if dim is ABSENT:
        if not keepdim:
            return _sum_all(input, dtype)
        dim = None
    return _sum_dim(input, dims(dim), keepdim, dtype)


@composite(variants="method", vmap="decompose")
def sum_to_size(self: Tensor, *sides: Any, size: Any = None) -> Tensor:
    """Sum to ``size``, which must be broadcastable to the tensor's shape."""
    shape = sizes(sides if size is None else (size,), "sum_to_size(): argument 'size'")
    if not is_expandable_to(shape, self._array.shape):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self._array.shape)}}}.")
    return sum_to(self, shape)


def _nansum_backward(grad: Tensor, self: Tensor, dim: Any, keepdim: bool) -> Tensor:
    return sum_backward(grad, self._array.shape, dim, keepdim) * self.isnan().logical_not()


@op(
    "NansumBackward0",
    name="nansum",
    no_complex=RuntimeError("nansum on CPU does not support complex inputs"),
    vmap="reduction_dims",
    kernel_writes=1,
    self=lambda grad, self, dim, keepdim: _nansum_backward(grad.to(self.dtype), self, dim, keepdim),
)
def _nansum(self: Array, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Array:
    kind = _sum_type(self, dtype)
    if self.dtype.kind in "fV":
        if kind.kind == "c":
            need_floats("nansum_cpu", np.empty(0, kind))
        self = kept(self, ~np.isnan(self))
    return add_up(self, axes_of(dim, self.ndim), kind, keepdim)


@composite(vmap="decompose", out=None)
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of the elements that are not nan."""
    dtype = dtypes.parse_dtype("nansum", dtype)
    return _nansum(input, dims(dim), keepdim, dtype)


# mean ---------------------------------------------------------------------------------------------


def _mean_type(array: Array, dtype: Any) -> Any:
    kind = array.dtype if dtype is None else dtype.numpy
    if kind.kind not in "fcV":
        which = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex "
            f"dtype. Got: {dtypes.BY_NUMPY[kind].legacy}"
        )
    return kind


def _average(
    array: Array, axes: tuple[int, ...] | None, kind: Any, count: int, keepdims: bool = False
) -> Array:
    """A sum divided by ``count``; half precision does both in single."""
    exact = np.float32 if dtypes.is_half(kind) else kind
    total = _total(array, axes, np.dtype(exact), keepdims)
    return np.true_divide(total, count).astype(kind, copy=False)


@op(
    "MeanBackward0",
    name="mean",
    complex="holomorphic",
    jvp="auto_linear",
    kernel_writes=2,
    vmap="full_reduction",
    self=lambda grad, self_sym_sizes, self_sym_numel: over(grad.expand(self_sym_sizes), self_sym_numel),
)
def _mean_all(self: Array, dtype: Any = None) -> Array:
    kind = _mean_type(self, dtype)
    return _average(real_part(self, dtype), None, kind, self.size)


@op(
    "MeanBackward1",
    name="mean_dim",
    overload="dim",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="reduction_dims",
    kernel_writes=2,
    operator="mean",
    self=lambda grad, self_sym_sizes, self_sym_numel, dim, keepdim: mean_backward(
        grad, self_sym_sizes, dim, keepdim
    ),
)
def _mean_dim(self: Array, dim: Any, keepdim: bool = False, dtype: Any = None) -> Array:
    kind = _mean_type(self, dtype)
    axes = axes_of(dim, self.ndim)
    return _average(real_part(self, dtype), axes, kind, count_along(self.shape, axes), keepdim)


def count_along(shape: tuple[int, ...], axes: Sequence[int]) -> int:
    """The number of elements that are reduced to one."""
    count = 1
    for axis in axes:
        count *= shape[axis]
    return count


def mean_backward(grad: Tensor, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """The gradient of mean: expand it and divide by the number of averaged elements."""
    return over(sum_backward(grad, shape, dim, keepdim), count_along(shape, axes_of(dim, len(shape))))


@composite(vmap="decompose", out=True)
def mean(input: Tensor, dim: Any = ABSENT, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of all elements, or along dimensions."""
    if dim is ABSENT and not keepdim:
        return _mean_all(input, dtype)
    return _mean_dim(input, None if dim is ABSENT else dims(dim), keepdim, dtype)


@composite(vmap="decompose", out=None)
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of the elements that are not nan."""
    kind = dtypes.parse_dtype("nanmean", dtype) or input.dtype
    need_fitting(input._array.dtype.kind in "fcV" and kind.numpy.kind in "fcV", "torch.nanmean")
    count = input.isnan().logical_not().sum(dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype).div(count)


# prod ---------------------------------------------------------------------------------------------


def _multiply(array: Array, axes: Any, dtype: Any, keepdims: bool = False) -> Array:
    kind, array = _sum_type(array, dtype), real_part(array, dtype)
    return np.asarray(np.multiply.reduce(array, axis=axes, dtype=kind, keepdims=keepdims))


@op(
    "ProdBackward0",
    name="prod",
    complex="holomorphic",
    autocast="fp32",
    kernel_writes=1,
    vmap="full_reduction",
    self=lambda grad, self, result: _prod_backward(grad, self.to(grad.dtype), result),
)
def _prod_all(self: Array, dtype: Any = None) -> Array:
    return _multiply(self, None, dtype)


@op(
    "ProdBackward1",
    name="prod_dim",
    overload="dim_int",
    complex="holomorphic",
    autocast="fp32",
    vmap="reduction_dim",
    kernel_writes=1,
    operator="prod",
    self=lambda grad, self, result, dim, keepdim: _prod_dim_backward(
        grad, self.to(grad.dtype), result, dim, keepdim
    ),
)
def _prod_dim(self: Array, dim: Any, keepdim: bool = False, dtype: Any = None) -> Array:
    axis = wrap_dim(dim, self.ndim)
    return _multiply(self, axis if self.ndim else (), dtype, keepdim)


@composite(vmap="decompose", out=True)
def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all elements, or along a dimension."""
    if dim is None:
        return _prod_all(input, dtype)
    return _prod_dim(input, dim, keepdim, dtype)


def _prod_backward(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    if self._array.ndim == 0:
        return grad
    zeros = int(np.count_nonzero(self._array == 0))
    if not zeros:
        return grad * (result / self)
    if zeros > 1 and not state.recording:
        return zeros_like(self)
    return _without_each(grad, self.contiguous().view(-1), 0).view_as(self)


def _prod_dim_backward(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    if self._array.ndim == 0:
        return grad
    axis = wrap_dim(dim, self._array.ndim)
    if not keepdim:
        grad, result = grad.unsqueeze(axis), result.unsqueeze(axis)
    if np.any(self._array == 0):
        return _without_each(grad, self, axis)
    return grad * (result / self)


def _without_each(grad: Tensor, self: Tensor, axis: int) -> Tensor:
    """The gradient of prod for inputs with zeros: the product of all elements before and all after each element."""
    n = self._array.shape[axis]
    if not self._array.size:
        return grad.expand_as(self)
    if n == 1:
        return grad
    shape = tuple(1 if i == axis else m for i, m in enumerate(self._array.shape))
    ones = make(np.ones(shape, grad._array.dtype))
    before = cat([ones, self.narrow(axis, 0, n - 1)], axis).cumprod(axis)
    after = cat([ones, self.narrow(axis, 1, n - 1).flip(axis)], axis).cumprod(axis).flip(axis)
    return grad * (before * after).conj()


# logsumexp ----------------------------------------------------------------------------------------


def _logsumexp_backward(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    if not keepdim and self._array.ndim:
        grad = unsqueeze_multiple(grad, dim, self._array.ndim)
        result = unsqueeze_multiple(result, dim, self._array.ndim)
    return grad * (self - result).exp()


@op(
    "LogsumexpBackward0",
    name="logsumexp",
    promote="self",
    to_float=True,
    complex="holomorphic",
    vmap="reduction_dims",
    elementwise=False,
    kernel_writes=1,
    self=_logsumexp_backward,
)
def _logsumexp(self: Array, dim: Any, keepdim: bool = False) -> Array:
    axes = wrap_dims(dim, self.ndim)[: self.ndim]
    if keepdim or not self.size:
        axes = axes or tuple(range(self.ndim))
    need_fitting(axes or not self.ndim, "torch.logsumexp")
    if not self.size:
        return np.log(np.add.reduce(np.exp(self), axis=axes, keepdims=keepdim))
    top = np.maximum.reduce(self.real, axis=axes, keepdims=True)
    top = np.where(np.isinf(top), top.dtype.type(0), top)
    total = np.log(add_up(np.exp(self - top), axes, self.dtype, keepdim))
    return np.asarray(total + (top if keepdim else np.squeeze(top, axes)))


@composite(vmap="decompose", out=True)
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials, without overflow."""
    return _logsumexp(input, dims(dim), keepdim)


PUBLIC = ("logsumexp", "mean", "nanmean", "nansum", "prod", "sum", "sum_to_size")
