"""var, std, var_mean, std_mean, cov and corrcoef."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.dtypes import F64, number_within
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import wrap_dims
from ..._c10.warn_once import warn_program
from ..._c10.zero_tensor import in_memory
from ..creation.factories import zeros_like
from ..pointwise.complex_parts import complex
from ..pointwise.where_clamp import where
from ..registry import Array, op
from ..scalar_operands import times
from ..type_promotion import invalid_combination
from .sum_mean_prod import ABSENT, add_up, axes_of, count_along, dims, mean_backward, unsqueeze_multiple

_LARGE = 1e100


def _moments(name: str, self: Array, dim: Any, correction: Any, keepdim: bool) -> tuple[Array, Array]:
    """Variance and mean in double precision; for var and std of all elements torch rounds the mean to float32 first."""
    if self.dtype.kind == "c":
        real, imag = (_moments(name, each, dim, correction, keepdim) for each in (self.real, self.imag))
        return real[0] + imag[0], real[1] + 1j * imag[1]
    if self.dtype.kind not in "fV":
        both = name if "_" in name else "std and var"
        raise RuntimeError(f"{both} only support floating point and complex dtypes")
    axes = axes_of(dim, self.ndim)
    self = in_memory(self)
    largest = float(np.abs(self).max(initial=0)) if self.dtype == np.float64 else 0.0
    # Sums of large numbers overflow, where torch's running means do not: a power of two is taken out, which is exact.
    scale = 2.0 ** (math.frexp(largest)[1] - 1) if _LARGE < largest < np.inf else 1.0
    exact = self.astype(np.float64, copy=False)
    count = count_along(self.shape, axes)
    freedom = count - (1 if correction is None else number_within(F64, correction))
    mean = np.true_divide(np.add.reduce(exact / scale, axis=axes, keepdims=True), count) * scale
    if "_" not in name and self.dtype == np.float32 and count == self.size > 0:
        mean = np.true_divide(add_up(self, axes, self.dtype, True), count, dtype=self.dtype).astype(
            np.float64
        )
    squares = np.square(np.subtract(exact, mean))
    variance = np.true_divide(np.add.reduce(squares, axis=axes, keepdims=keepdim), max(0, freedom))
    if freedom <= 0 or not variance.size:
        warn_program(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
            "factor (input numel divided by output numel).",
        )
    # torch's running mean becomes nan by inf - inf, unless the infinite number is the last.
    need_fitting("_" not in name or count < 2 or not np.isinf(mean).any(), name)
    if not keepdim:
        mean = np.squeeze(mean, axes)
    return np.asarray(variance), np.asarray(mean)


def variance_backward(grad: Tensor, self: Tensor, dim: Any, correction: Any, keepdim: bool) -> Tensor:
    """torch's var_backward: nan or infinity without degrees of freedom."""
    correction = 1 if correction is None else correction
    if self._array.ndim == 0 or dim is None:
        freedom = self._array.size - correction
        if freedom <= 0:
            nan, inf = (
                float("nan"),
                float("inf"),
            )  # where() of two numbers has the default dtype, not that of self
            return grad * where(self == self.mean(), nan, inf)
        away = self - self.mean()  # see Note [Right operands first]
        return times(grad, 2.0 / freedom) * away
    if not keepdim and self._array.ndim > 1:
        grad = unsqueeze_multiple(grad, dim, self._array.ndim)
    # An empty dim reduces all dimensions, but torch's formula counts one element for it.
    freedom = count_along(self._array.shape, wrap_dims(dim, self._array.ndim)) - correction
    factor = 2.0 / freedom if freedom else float("inf")
    away = self - self.mean(dim, keepdim=True)
    return times(grad, factor) * away


def _std_backward(
    result: Tensor, grad: Tensor, self: Tensor, dim: Any, correction: Any, keepdim: bool
) -> Tensor:
    to_variance = (grad / times(result, 2)).masked_fill_(result == 0, 0)
    return variance_backward(to_variance, self, dim, correction, keepdim)


def _plus_mean(
    found: Tensor | None, grad: Tensor | None, self: Tensor, dim: Any, keepdim: bool
) -> Tensor | None:
    if grad is None:
        return found
    from_mean = mean_backward(grad, self._array.shape, dim or (), keepdim)
    return from_mean if found is None else found + from_mean


@op(
    "VarBackward0",
    name="var",
    overload="correction",
    kernel_writes=1,
    complex="as_written",
    vmap="reduction_dims",
    self=variance_backward,
)
def _var(self: Array, dim: Any, correction: Any, keepdim: bool) -> Array:
    return _moments("var", self, dim, correction, keepdim)[0].astype(self.real.dtype, copy=False)


@op(
    "StdBackward0",
    name="std",
    overload="correction",
    kernel_writes=1,
    complex="as_written",
    tangent_writes=1,
    vmap="reduction_dims",
    self=_std_backward,
)
def _std(self: Array, dim: Any, correction: Any, keepdim: bool) -> Array:
    return np.sqrt(_moments("std", self, dim, correction, keepdim)[0]).astype(self.real.dtype, copy=False)


@op(
    "VarMeanBackward0",
    name="var_mean",
    outputs="result0 result1", overload="correction", complex="as_written", vmap="reduction_dims",
    self=lambda grads, self, dim, correction, keepdim: _plus_mean(
        None if grads[0] is None else variance_backward(grads[0], self, dim, correction, keepdim),
        grads[1], self, dim, keepdim,
    ),
)  # fmt: skip
def _var_mean(self: Array, dim: Any, correction: Any, keepdim: bool) -> tuple[Array, Array]:
    result = _moments("var_mean", self, dim, correction, keepdim)
    return result[0].astype(self.real.dtype, copy=False), result[1].astype(self.dtype, copy=False)


@op(
    "StdMeanBackward0",
    name="std_mean",
    outputs="result0 result1", overload="correction", complex="as_written", vmap="reduction_dims",
    self=lambda grads, self, result0, dim, correction, keepdim: _plus_mean(
        None if grads[0] is None else _std_backward(result0, grads[0], self, dim, correction, keepdim),
        grads[1], self, dim, keepdim,
    ),
)  # fmt: skip
def _std_mean(self: Array, dim: Any, correction: Any, keepdim: bool) -> tuple[Array, Array]:
    result = _moments("std_mean", self, dim, correction, keepdim)
    return np.sqrt(result[0]).astype(self.real.dtype, copy=False), result[1].astype(self.dtype, copy=False)


def _spread(name: str, row: Any, text: str) -> Any:
    @composite(
        variants="function" if name.endswith("_mean") else None,
        vmap="decompose",
        out=not name.endswith("mean"),
    )
    def reduce(
        input: Tensor, dim: Any = ABSENT, unbiased: Any = None, keepdim: bool = False, *,
        correction: Any = ABSENT) -> Any:  # fmt: skip
        if isinstance(dim, bool):  # std(input, unbiased)
            dim, unbiased = ABSENT, dim
        if unbiased is not None and correction is not ABSENT:
            raise invalid_combination(name, (input, dim, unbiased))
        if unbiased is not None or (dim is not ABSENT and correction is ABSENT):
            correction = 0 if unbiased is False else 1
        dim, correction = (None if each is ABSENT else each for each in (dim, correction))
        return row(input, dims(dim), correction, keepdim)

    reduce.__name__, reduce.__doc__ = name, text
    return reduce


var = _spread("var", _var, "The variance, of all elements or along dimensions.")
std = _spread("std", _std, "The standard deviation, of all elements or along dimensions.")
var_mean = _spread("var_mean", _var_mean, "Variance and mean.")
std_mean = _spread("std_mean", _std_mean, "Standard deviation and mean.")


# Covariance ---------------------------------------------------------------------------------------


@composite(vmap="decompose")
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of variables in rows."""
    need_fitting(input._array.ndim <= 2 and input._array.dtype.kind != "b", "torch.cov")
    columns = input.view(1, -1) if input._array.ndim < 2 else input
    observations = columns._array.shape[1]
    weights = _weights(columns, observations, fweights, aweights)
    average: Tensor
    total: Any
    if weights is None:
        average, total = columns.sum(1) / observations, observations
    else:
        total = weights.sum()
        need_fitting(total._array, "torch.cov")
        average = (columns * weights).sum(1) / total
    norm: Any = total
    if correction:
        spread = correction if aweights is None else times((weights * aweights).sum(), correction) / total
        norm = total - spread
    if (norm.item() if isinstance(norm, Tensor) else norm) <= 0:
        warn_program(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
        )
        norm = norm.new_zeros(()) if isinstance(norm, Tensor) else 0
    # With weights and one observation, torch zeroes that observation in place.
    alone = weights is not None and observations == 1
    away = columns.zero_() if alone else columns - average.unsqueeze(1)
    other = away if weights is None else away * weights
    result = away.to(other.dtype).matmul(other.t().conj())
    if result._array.dtype.kind == "c" and columns._array.shape[0] == 1:  # a variance, which is real
        result = complex(result.real, zeros_like(result.real))
    return result.true_divide(norm).squeeze()


def _weights(
    columns: Tensor, observations: int, fweights: Tensor | None, aweights: Tensor | None
) -> Tensor | None:
    for given, kinds in ((fweights, "iu"), (aweights, "fV")):
        if given is None:
            continue
        array = given._array
        fits = array.ndim <= 1 and array.dtype.kind in kinds and array.size == observations
        need_fitting(fits and not (array < 0).any(), "cov")
    if fweights is None:
        return aweights
    return fweights if aweights is None else fweights * aweights


@composite(vmap="decompose")
def corrcoef(input: Tensor) -> Tensor:
    """The matrix of correlation coefficients of variables in rows."""
    result = cov(input)
    if result._array.ndim == 0:
        return result / result
    deviation = result.diagonal()
    if result._array.dtype.kind == "c":
        deviation = deviation.real
    deviation = deviation.sqrt()
    result = result.div(deviation.view(-1, 1)).div(deviation.view(1, -1))
    if result._array.dtype.kind == "c":
        imaginary = result.imag.clip(-1, 1)  # evaluated first: see Note [Right operands first]
        return complex(result.real.clip(-1, 1), imaginary)
    return result.clip(-1, 1)


PUBLIC = ("corrcoef", "cov", "std", "std_mean", "var", "var_mean")
