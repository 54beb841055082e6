"""Sums, means, products, extremes: what makes fewer elements of many."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..rows import Array, op
from ..shapes import wrap_dims
from ..tensor import Tensor


def _sum_type(array: Array, dtype: Any) -> Any:
    if dtype is not None:
        return dtype.numpy
    return dtypes.I64 if array.dtype.kind in "iub" else array.dtype


def expand_reduced(grad: Tensor, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """A reduction's gradient, spread again over the dimensions that were reduced."""
    if not keepdim and shape:
        for axis in sorted(wrap_dims(dim if dim != () else None, len(shape))):
            grad = grad.unsqueeze(axis)
    return grad.expand(shape)  # type: ignore[no-any-return]


@op("SumBackward0", name="sum", self=lambda grad, self_sym_sizes: grad.expand(self_sym_sizes))
def _sum_all(self: Array, dtype: Any = None) -> Array:
    return np.add.reduce(self, axis=None, dtype=_sum_type(self, dtype))


@op(
    "SumBackward1",
    name="sum_dim",
    self=lambda grad, self_sym_sizes, dim, keepdim: expand_reduced(grad, self_sym_sizes, dim, keepdim),
)
def _sum_dim(self: Array, dim: Any, keepdim: bool = False, dtype: Any = None) -> Array:
    axes = wrap_dims(dim or None, self.ndim)
    return np.add.reduce(self, axis=axes, dtype=_sum_type(self, dtype), keepdims=keepdim)


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None, out: Any = None) -> Tensor:  # noqa: A001, A002
    """The sum of all elements, or along dimensions."""
    dim = axis if dim is None else dim
    if dim is None and not keepdim:
        return _sum_all(input, dtype, out=out)  # type: ignore[no-any-return]
    return _sum_dim(input, _dims(dim), keepdim, dtype, out=out)  # type: ignore[no-any-return]


def _dims(dim: Any) -> tuple[int, ...]:
    if dim is None:
        return ()
    return tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)


def _mean_checked(array: Array, dtype: Any) -> Any:
    if dtype is None and array.dtype.kind not in "fc":
        legacy = dtypes.BY_NUMPY[array.dtype].legacy
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{legacy}"
        )
    return dtype.numpy if dtype else array.dtype


@op(
    "MeanBackward0",
    name="mean",
    self=lambda grad, self_sym_sizes, self_sym_numel: grad.expand(self_sym_sizes) / self_sym_numel,
)
def _mean_all(self: Array, dtype: Any = None) -> Array:
    kind = _mean_checked(self, dtype)
    return np.true_divide(np.add.reduce(self, axis=None, dtype=kind), self.size, dtype=kind)


@op(
    "MeanBackward1",
    name="mean_dim",
    self=lambda grad, self_sym_sizes, self_sym_numel, dim, keepdim: _mean_backward(
        grad, self_sym_sizes, self_sym_numel, dim, keepdim
    ),
)
def _mean_dim(self: Array, dim: Any, keepdim: bool = False, dtype: Any = None) -> Array:
    kind = _mean_checked(self, dtype)
    axes = wrap_dims(dim or None, self.ndim)
    count = int(np.prod([self.shape[a] for a in axes])) if self.ndim else 1
    return np.true_divide(np.add.reduce(self, axis=axes, dtype=kind, keepdims=keepdim), count, dtype=kind)


def _mean_backward(grad: Tensor, shape: tuple[int, ...], numel: int, dim: Any, keepdim: bool) -> Tensor:
    result_numel = max(grad._array.size, 1)
    return expand_reduced(grad, shape, dim, keepdim) / (numel // result_numel)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None, out: Any = None) -> Tensor:  # noqa: A002
    """The mean of all elements, or along dimensions."""
    dim = axis if dim is None else dim
    if dim is None and not keepdim:
        return _mean_all(input, dtype, out=out)  # type: ignore[no-any-return]
    return _mean_dim(input, _dims(dim), keepdim, dtype, out=out)  # type: ignore[no-any-return]
