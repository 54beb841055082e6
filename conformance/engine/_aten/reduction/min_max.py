"""max, min, amax, amin, aminmax, argmax and argmin.

max and min of a whole tensor, amax and amin distribute the gradient evenly among equal extremes; max and min along a
dimension pass all of it to the element whose index they return, the first one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.batched_tensor import level_of
from ..._autograd.tensor import Tensor, make
from ..._autograd.views import increment_version
from ..._c10 import errors, structseq
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import wrap_dim
from ..kernels import placed
from ..pointwise.where_clamp import maximum, minimum
from ..registry import ROWS, Array, op
from ..type_promotion import MISSING
from .sum_mean_prod import axes_of, count_along, dims

# Of all elements ----------------------------------------------------------------------------------


def evenly_distribute(grad: Tensor, self: Tensor, value: Tensor) -> Tensor:
    """Distribute a gradient evenly among all elements equal to the value (among the nans if it is nan)."""
    if level_of((grad, self, value)) >= 0:
        mask = self == value
        return mask * (grad / mask.sum())
    nan = self._array.dtype.kind in "fV" and np.isnan(value._array)
    mask = self.isnan() if nan else self == value
    zeros = make(np.zeros(self._array.shape, self._array.dtype))
    return placed(zeros, "masked_fill_", mask, grad / mask.sum())


def _reduce_all(name: str, node: str, function: Any) -> Any:
    def forward(self: Array) -> Array:
        if not self.size:
            raise RuntimeError(errors.NO_REDUCTION_DIM.format(name))
        return np.asarray(function.reduce(self, axis=None))

    forward.__name__ = name
    return op(
        node,
        no_complex=f"{name}_all",
        complex_if="empty",
        kernel_writes=1,
        vmap="full_reduction",
        self=lambda grad, self, result: evenly_distribute(grad, self, result),
    )(forward)


_max_all = _reduce_all("max", "MaxBackward1", np.maximum)
_min_all = _reduce_all("min", "MinBackward1", np.minimum)


# Along a dimension, with the index ----------------------------------------------------------------


def value_selecting_backward(
    grad: Tensor, dim: Any, indices: Tensor, shape: tuple[int, ...], keepdim: bool
) -> Tensor:
    """Scatter a gradient to the indices of the selected values."""
    if not keepdim and shape:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    zeros = make(np.zeros(shape, grad._array.dtype)).zero_()  # torch zeroes in place, which bumps the version
    return placed(zeros, "scatter_", dim, indices, grad)


def nonzero_size(name: str, array: Array, dim: int) -> None:
    """Check that a dimension to select from is not empty.

    Raises:
        IndexError: the dimension has length 0.
    """
    if array.ndim and array.shape[wrap_dim(dim, array.ndim)] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def taken(array: Array, where: Array, axis: int, keepdim: bool) -> tuple[Array, Array]:
    """The values at one index per line along an axis, and these indices."""
    if array.ndim == 0:
        return array.copy(), np.zeros((), np.int64)
    indices = np.expand_dims(where, axis)
    values = np.take_along_axis(array, indices, axis)
    if not keepdim:
        values, indices = np.squeeze(values, axis), where
    return values, indices.astype(np.int64, copy=False)


def _reduce_dim(name: str, node: str, find: Any) -> Any:
    def forward(self: Array, dim: Any, keepdim: bool = False) -> tuple[Array, Array]:
        axis = wrap_dim(dim, self.ndim)
        nonzero_size(name, self, axis)
        where = find(self, axis=axis) if self.ndim else np.zeros((), np.int64)
        return taken(self, where, axis, keepdim)

    formula = {"self": lambda grad, self_sym_sizes, dim, indices, keepdim: value_selecting_backward(
        grad, dim, indices, self_sym_sizes, keepdim
    )}  # fmt: skip
    forward.__name__ = f"{name}_dim"
    returns = getattr(structseq, name)
    refused = errors.MisfitError(f"the text of torch.{name}'s error for complex numbers")
    return op(
        node,
        outputs="values indices",
        returns=returns,
        no_complex=refused,
        overload="dim",
        operator=name,
        vmap="reduction_dim",
        kernel_writes=2,
        **formula,
    )(forward)


_reduce_dim("max", "MaxBackward0", np.argmax)
_reduce_dim("min", "MinBackward0", np.argmin)


def _extreme(name: str, every: Any, pairwise: Any, text: str) -> Any:
    @composite(vmap="decompose", out=None)
    def reduce(input: Tensor, dim: Any = MISSING, keepdim: bool = False, *, other: Any = None) -> Any:
        other = dim if isinstance(dim, Tensor) else other
        if other is not None:
            return pairwise(input, other)
        if dim is MISSING and not keepdim:
            return every(input)
        return ROWS[f"{name}_dim"].call(input, dim, keepdim)

    reduce.__name__, reduce.__doc__ = name, text
    return reduce


max = _extreme("max", _max_all, maximum, "The greatest element; or along a dimension; or of two tensors.")
min = _extreme("min", _min_all, minimum, "The least element; or along a dimension; or of two tensors.")


# amax, amin, aminmax ------------------------------------------------------------------------------


def _restored(tensor: Tensor, dim: Any, keepdim: bool) -> Tensor:
    """Unsqueeze the dimensions that a reduction without keepdim removed."""
    if keepdim:
        return tensor
    ndim = tensor._array.ndim + len(dim)
    kept = iter(tensor._array.shape)
    reduced = {d % ndim for d in dim}
    return tensor.reshape([1 if i in reduced else next(kept) for i in range(ndim)])


def _scaled_by_count(grad: Tensor, mask: Tensor, dim: Any) -> Tensor:
    return (grad / mask.sum(dim, True)) * mask


def _amax_backward(grad: Tensor, self: Tensor, result: Tensor, dim: Any, keepdim: bool) -> Tensor:
    mask = _restored(result, dim, keepdim) == self
    return _scaled_by_count(_restored(grad, dim, keepdim), mask, dim)


def _no_identity(name: str, self: Array, dim: Any) -> None:
    if self.size:
        return
    if not dim:
        raise RuntimeError(errors.NO_REDUCTION_DIM.format(name))
    for each in dim:
        nonzero_size(name, self, each)


def _ax(name: str, node: str, function: Any, text: str) -> Any:
    def forward(self: Array, dim: Any = (), keepdim: bool = False) -> Array:
        _no_identity(name, self, dim)
        return np.asarray(function.reduce(self, axis=axes_of(dim, self.ndim), keepdims=keepdim))

    forward.__name__ = name
    formula = {
        "self": lambda grad, self, result, dim, keepdim: _amax_backward(grad, self, result, dim, keepdim)
    }
    row = op(
        node,
        no_complex=f"{name.removeprefix('a')}_values_cpu",
        complex_if="empty",
        vmap="reduction_dims",
        kernel_writes=1,
        **formula,
    )(forward)

    @composite(vmap="decompose", out=True)
    def reduce(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        return row(input, dims(dim) or (), keepdim)

    reduce.__name__, reduce.__doc__ = name, text
    return reduce


amax = _ax(
    "amax", "AmaxBackward0", np.maximum, "The greatest element along dimensions; ties share the gradient."
)
amin = _ax(
    "amin", "AminBackward0", np.minimum, "The least element along dimensions; ties share the gradient."
)


def _aminmax_backward(
    self: Tensor, dim: Any, keepdim: bool, grads: tuple[Tensor | None, ...], low: Tensor, high: Tensor
) -> Tensor:
    axes = tuple(range(self._array.ndim)) if dim is None else (dim,)
    result: Tensor | None = None
    for grad, value in zip(grads, (low, high), strict=True):
        if grad is None:
            continue
        mask = _restored(value, axes, keepdim) == self
        part = _scaled_by_count(_restored(grad, axes, keepdim), mask, axes)
        if result is None:
            result = part
        else:
            result = result + part
            increment_version(result)  # torch adds in place
    assert result is not None
    return result


@op(
    "AminmaxBackward0",
    name="aminmax",
    outputs="min max",
    returns=structseq.aminmax,
    vmap="reduction_dim",
    self=lambda grads, self, dim, keepdim, min, max: _aminmax_backward(self, dim, keepdim, grads, min, max),
)
def _aminmax(self: Array, dim: Any = None, keepdim: bool = False) -> tuple[Array, Array]:
    axes = axes_of(None if dim is None else (dim,), self.ndim)
    need_fitting(self.dtype.kind != "c" and count_along(self.shape, axes), "torch.aminmax")
    return (
        np.asarray(np.minimum.reduce(self, axis=axes, keepdims=keepdim)),
        np.asarray(np.maximum.reduce(self, axis=axes, keepdims=keepdim)),
    )


@composite(vmap="decompose", out=None)
def aminmax(input: Tensor, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The minimum and the maximum."""
    return ROWS["aminmax"].call(input, dim, keepdim)


# argmax, argmin -----------------------------------------------------------------------------------


def _arg(name: str, find: Any, text: str) -> Any:
    def forward(self: Array, dim: Any = None, keepdim: bool = False) -> Array:
        need_fitting(self.dtype.kind != "b" and (dim is not None or self.size), f"torch.{name}")
        if dim is None:
            result = np.asarray(find(self), np.int64)
            return result.reshape((1,) * self.ndim) if keepdim else result
        axis = wrap_dim(dim, self.ndim)
        nonzero_size(name, self, axis)
        if not self.ndim:
            return np.zeros((), np.int64)
        return np.asarray(find(self, axis=axis, keepdims=keepdim), np.int64)

    forward.__name__, forward.__doc__ = name, text
    refused = RuntimeError(f"{name}(): does not support complex input")
    return op(tensors="self", no_complex=refused, vmap="reduction_dim")(forward)


argmax = _arg("argmax", np.argmax, "Where the greatest element is, the first of equals.")
argmin = _arg("argmin", np.argmin, "Where the least element is, the first of equals.")

PUBLIC = ("amax", "amin", "aminmax", "argmax", "argmin", "max", "min")
