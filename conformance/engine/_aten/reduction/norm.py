"""linalg.vector_norm, norm, dist and renorm (torch: native/LinearAlgebra.cpp, Distance.cpp)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.inplace_checks import warn_of_lost_part
from ..._autograd.tensor import Tensor
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import wrap_dim
from ..._c10.slots import on_first_use
from ..kernels import check_subtractable, half_up
from ..pointwise.where_clamp import where
from ..registry import Array, op
from ..scalar_operands import plus, times
from .sum_mean_prod import axes_of, dims, unsqueeze_multiple

matrix_norm: Callable[..., Tensor] = on_first_use("matrix_norm")  # see Note [Slots]

# The norm of a vector -----------------------------------------------------------------------------


def norm_array(array: Array, order: float, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The norm along axes; half precision is computed in single."""
    kind = array.dtype
    size = np.abs(half_up(array))
    if order == 0 or (order != order and not size.size):
        result = np.count_nonzero(size, axes, keepdims=keepdims)
    elif math.isinf(order):
        result = (np.maximum if order > 0 else np.minimum).reduce(size, axis=axes, keepdims=keepdims)
    elif order == 2:
        result = np.sqrt(np.add.reduce(size * size, axis=axes, keepdims=keepdims))
    else:
        result = np.power(np.add.reduce(np.power(size, order), axis=axes, keepdims=keepdims), 1.0 / order)
    return np.asarray(result, size.dtype if kind.kind == "c" else kind)


def need_norm(array: Array) -> None:
    """Check that a dtype has norms.

    Raises:
        RuntimeError: the dtype is an integer dtype or bool.
    """
    if array.dtype.kind not in "fcV":
        kind = dtypes.BY_NUMPY[array.dtype].legacy
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {kind} instead."
        )


def norm_backward(
    grad: Tensor, self: Tensor, order: float, norm: Tensor, dim: Any, keepdim: bool
) -> Tensor | None:
    """torch's norm_backward: the subgradient at zero is zero; equal maxima share the gradient of the inf norm."""
    if not keepdim and self._array.ndim:
        grad = unsqueeze_multiple(grad, dim, self._array.ndim)
        norm = unsqueeze_multiple(norm, dim, self._array.ndim)
    order = float(order)
    if order == 0:
        return None
    if order == 1:
        return self.sgn() * grad
    if order == 2:
        return grad * (self / norm).masked_fill_(norm == 0, 0)
    if math.isinf(order):
        size = self.abs()
        mask = size.eq(norm).logical_or(size.isnan())
        shared = (grad / mask.sum(dim, True)) * mask  # here and below: see Note [Right operands first]
        return self.sgn() * shared
    if order < 1:
        power = self.abs().pow_(order - 1).masked_fill_(self == 0, 0)
        scaled, power = self.sgn() * power, norm.pow(1 - order)
        return scaled * grad * power
    power = self.abs().pow_(order - 1 if order < 2 else order - 2)
    scaled = (self.sgn() if order < 2 else self) * power
    scale = grad / norm.pow(order - 1)
    scale.masked_fill_(norm == 0, 0)
    return scaled * scale


@op(
    "LinalgVectorNormBackward0",
    name="linalg_vector_norm",
    complex="as_written",
    vmap="reduction_dims",
    self=lambda grad, self, ord, result, dim, keepdim: norm_backward(
        grad, self, ord, result, dim or (), keepdim
    ),
)
def _vector_norm(
    self: Array, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Array:
    name = "linalg.vector_norm"
    need_fitting(isinstance(ord, (int, float)), name)
    given = dtypes.BY_NUMPY[self.dtype]
    if self.dtype.kind not in "fcV":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {given.legacy}"
        )
    if dtype is not None:
        fits = dtype.is_complex is given.is_complex and dtypes.promote_types(given, dtype) is dtype
        need_fitting(fits, name)
        self = self.astype(dtype.numpy)
    axes = axes_of(dim, self.ndim)
    _check_identity(name, self, ord, dim)
    if ord == 0 and self.dtype.kind == "c" and {1}.issuperset(self.shape[axis] for axis in axes):
        warn_of_lost_part(dtypes.BY_NUMPY[self.real.dtype])  # torch casts `self != 0` to a real dtype
    return norm_array(self, ord, axes, keepdim)


def _check_identity(name: str, self: Array, ord: Any, dim: tuple[int, ...]) -> None:
    """Check the norm of an empty tensor."""
    if self.size or not (ord < 0 or ord == math.inf):
        return
    need_fitting(dim and all(self.shape[axis] for axis in dim), name)


@composite(vmap="decompose", out=True)
def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """torch.linalg.vector_norm: the vector norm of all elements, or along dimensions."""
    return _vector_norm(x, ord, dims(dim), keepdim, dtype)


@op(
    "NormBackward1",
    complex="as_written",
    tangent_writes="norm",
    vmap="reduction_dims",
    self=lambda grad, self, p, result, dim, keepdim: norm_backward(grad, self, p, result, dim, keepdim),
)
def norm_along(self: Array, p: Any, dim: tuple[int, ...], keepdim: bool = False) -> Array:
    """The overload of norm with dimensions, which torch's formulas call."""
    _check_identity("linalg.vector_norm", self, p, dim)
    return norm_array(self, p, axes_of(dim, self.ndim), keepdim)


@op(
    "NormBackward0",
    complex="as_written",
    self=lambda grad, self, p, result: norm_backward(grad, self, p, result, (), False),
)
def norm_of_all(self: Array, p: Any) -> Array:
    """The overload of norm over all dimensions, which torch's code calls."""
    _check_identity("linalg.vector_norm", self, p, ())
    return norm_array(self, p, axes_of((), self.ndim), False)


@composite(vmap="decompose")
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None
) -> Tensor:
    """torch.norm: a vector norm, or with "nuc" a matrix norm."""
    if out is not None:
        raise NotImplementedError("torch.norm(out=...)")
    if isinstance(p, str):
        if p == "fro" and (dim is None or not isinstance(dim, (tuple, list)) or len(dim) <= 2):
            return vector_norm(input, 2, dim, keepdim, dtype=dtype)
        axes = list(range(input._array.ndim)) if dim is None else dims(dim)
        return matrix_norm(input, p, axes, keepdim, dtype=dtype)
    return vector_norm(input, 2.0 if p is None else p, dim, keepdim, dtype=dtype)


# dist and renorm ----------------------------------------------------------------------------------


def _dist_backward(grad: Tensor, self: Tensor, other: Tensor, p: Any, result: Tensor) -> Tensor | None:
    return norm_backward(grad, self - other, p, result, (), True)


@op(
    "DistBackward0",
    promote="self other",
    check=check_subtractable,
    numbers=False,
    complex="as_written",
    tangent_writes="norm",
    out=False,
    elementwise=False,
    self=_dist_backward,
    other=lambda grad, self, other, p, result: _negative(_dist_backward(grad, self, other, p, result)),
)
def dist(self: Array, other: Array, p: Any = 2) -> Array:
    """The norm of the difference."""
    check_subtractable(self, other)
    need_fitting(not isinstance(p, complex), "torch.dist")
    need_norm(self)
    away = np.subtract(self, other)
    _check_identity("linalg.vector_norm", away, p, ())
    return norm_array(away, p, tuple(range(away.ndim)), False)


def _negative(grad: Tensor | None) -> Tensor | None:
    return None if grad is None else -grad


def _others(ndim: int, dim: int) -> tuple[int, ...]:
    return tuple(i for i in range(ndim) if i != wrap_dim(dim, ndim))


def _renorm_backward(grad: Tensor, self: Tensor, p: Any, dim: Any, maxnorm: Any) -> Tensor:
    axes = _others(self._array.ndim, dim)
    wide = (
        dtypes.float32 if dtypes.is_half(self._array.dtype) else dtypes.float64
    )  # torch accumulates in this dtype
    if self._array.dtype.kind == "c":
        norm = vector_norm(self, p, axes, True, dtype=dtypes.complex128)
        total = (self.conj() * grad).real.sum(axes, True)
    else:
        norm = vector_norm(self, p, axes, True, dtype=wide)
        total = (self * grad).sum(axes, True, dtype=wide)
    of_norm = norm_backward(total, self, p, norm, axes, True)
    inverse = plus(norm, 1e-7).reciprocal()
    across = grad - inverse * of_norm  # see Note [Right operands first]
    scaled = times(inverse, maxnorm) * across
    return where(norm > maxnorm, scaled.to(grad.dtype), grad)


@op(
    "RenormBackward0",
    complex="as_written",
    tangent_writes=0,
    vmap="fallback",
    vmap_inplace="fallback",
    inplace="method",
    self=_renorm_backward,
)
def renorm(self: Array, p: Any, dim: Any, maxnorm: Any) -> Array:
    """Scale slices along a dimension down to a norm of at most maxnorm."""
    need_fitting(not any(isinstance(each, complex) for each in (p, maxnorm)), "torch.renorm")
    need_fitting(p > 0 and maxnorm >= 0 and self.ndim >= 2 and self.dtype.kind in "fcV", "torch.renorm")
    size = norm_array(half_up(self), p, _others(self.ndim, dim), True)
    factor = np.where(size > maxnorm, maxnorm / (size + size.dtype.type(1e-7)), 1)
    return (self * factor.astype(self.dtype, copy=False)).astype(self.dtype, order="C")


PUBLIC = ("dist", "norm", "renorm")
