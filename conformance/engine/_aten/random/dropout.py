"""dropout, feature_dropout, alpha_dropout and native_dropout (torch: native/Dropout.cpp)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd.inplace_checks import check_castable
from ..._autograd.tensor import Tensor, version_counter, wrap
from ..._c10 import dtypes
from ..._c10.errors import unimplemented
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.shapes import laid_out, like_steps
from ..registry import Array, op
from ..scalar_operands import times
from . import distribution_kernels, random

PUBLIC = (
    "alpha_dropout", "alpha_dropout_", "dropout", "dropout_", "feature_alpha_dropout", "feature_alpha_dropout_",
    "feature_dropout", "feature_dropout_", "native_dropout",
)  # fmt: skip

_ALPHA = 1.7580993408473766  # minus selu's limit at negative infinity


def _drop(
    input: Tensor, p: float, train: bool, *, feature: bool = False, alpha: bool = False, inplace: bool = False
) -> Tensor:
    p = float(p)  # p may be a tensor with one element
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    array = input._array
    if p == 0 or not train or not array.size:
        return input
    multiply = input.mul_ if inplace else input.mul
    if p == 1:
        return multiply(_written(np.zeros((), array.dtype), 1))
    if array.dtype.kind == "c":
        raise unimplemented("bernoulli_scalar_cpu_", array.dtype)
    noise = like_steps(np.empty(array.shape), array)
    if feature:
        if array.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        noise = np.empty((*array.shape[:2], *(1,) * (array.ndim - 2)))
    draw = _kept if alpha else distribution_kernels.dropout_noise
    kept = random._laid_out(noise, lambda shape, _: draw(random.default_generator, shape, array.dtype, p))
    kind = dtypes.int64.numpy if alpha and array.dtype.kind == "b" else array.dtype
    check_castable(dtypes.default.numpy, kind)  # torch draws the random numbers before this check
    if not alpha:
        return multiply(_written(kept, 2))
    scale = 1 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = (kept - 1) * array.dtype.type(_ALPHA * scale) + array.dtype.type(_ALPHA * scale * p)
    result = multiply(_written(kept * array.dtype.type(scale), 2))
    return result.add_(wrap(shift))


def _written(noise: Array, times: int) -> Tensor:
    """The factor of the input, which torch makes by in-place operations that count as versions."""
    result = wrap(noise)
    if not state.inference:
        version_counter(result).value = times
    return result


def _kept(generator: Any, shape: tuple[int, ...], kind: Any, p: float) -> Array:
    return distribution_kernels.bernoulli(generator, shape, kind, 1 - p)


# With the mask ------------------------------------------------------------------------------------


@op(
    "NativeDropoutBackward0",
    name="native_dropout",
    outputs="result0 result1",
    constants="result1",
    input=lambda grads, result1, p, _factor: native_dropout_backward(grads[0], result1, _factor),
)
def _masked(input: Array, p: float, _mask: Array, _scale: float | None, _factor: float) -> Any:
    if _scale is None:
        return [like_steps(input.copy(), input), _mask]
    precise = laid_out(input * _mask, input, _mask).astype(
        np.promote_types(input.dtype, np.float32), copy=False
    )
    return [(precise * precise.dtype.type(_scale)).astype(input.dtype, copy=False), _mask]


def native_dropout_backward(grad: Tensor | None, mask: Tensor, scale: float) -> Tensor | None:
    """grad * mask * scale; None if ``grad`` is None."""
    if grad is None:
        return None
    return grad * times(mask.type_as(grad), scale) if state.grad_enabled else times(grad * mask, scale)


def native_dropout(input: Tensor, p: float, train: bool | None) -> Any:
    """Dropout and its mask, which is all True if ``train`` is False; if it is None, the gradient is not scaled.

    An empty input is returned itself; torch then also sets its grad_fn, which is omitted here.

    Raises:
        RuntimeError: the input's dtype is not floating point, or p is not between 0 and 1.
    """
    array = input._array
    if not array.size:
        return input, wrap(np.empty_like(array))
    mask = like_steps(np.ones(array.shape, bool), array)
    if train is False:
        return _masked(input, p, mask, None, 1.0)
    scale = 0.0 if p == 1 else 1 / (1 - p)
    mask = wrap(mask).bernoulli_(1.0 - p)._array
    check_castable(dtypes.default.numpy, array.dtype)
    return _masked(input, p, mask, scale, scale if train else 1.0)


# Variants -----------------------------------------------------------------------------------------


@composite(random="elementwise")
def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Zero each element with probability p and scale the others by 1 / (1 - p)."""
    return _drop(input, p, train)


@composite(random="by_example")
def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """dropout, in place."""
    return _drop(input, p, train, inplace=True)


@composite(random="by_example")
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Zero each channel with probability p and scale the others by 1 / (1 - p)."""
    return _drop(input, p, train, feature=True)


@composite(random="by_example")
def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """feature_dropout, in place."""
    return _drop(input, p, train, feature=True, inplace=True)


@composite(random="elementwise")
def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout that preserves mean and standard deviation of selu's outputs."""
    return _drop(input, p, train, alpha=True)


@composite(random="by_example")
def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """alpha_dropout, in place."""
    return _drop(input, p, train, alpha=True, inplace=True)


@composite(random="by_example")
def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """alpha_dropout that drops whole channels."""
    return _drop(input, p, train, feature=True, alpha=True)


@composite(random="by_example")
def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """feature_alpha_dropout, in place."""
    return _drop(input, p, train, feature=True, alpha=True, inplace=True)
