"""Dropout: elements or whole channels set to 0 at random (torch: native/Dropout.cpp)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import draws, dtypes, random
from ..rows import Array
from ..tensor import Tensor, wrap
from .kernels import unimplemented

PUBLIC = (
    "alpha_dropout", "alpha_dropout_", "dropout", "dropout_", "feature_alpha_dropout", "feature_alpha_dropout_",
    "feature_dropout", "feature_dropout_",
)  # fmt: skip

_ALPHA = 1.7580993408473766  # of selu: what it tends to for negative numbers


def _drop(input: Tensor, p: float, train: bool, feature: bool, alpha: bool, inplace: bool) -> Tensor:
    p = float(p)  # it may be a tensor of one
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    array = input._array
    if p == 0 or not train or not array.size:
        return input
    multiply = input.mul_ if inplace else input.mul
    if p == 1:
        return multiply(wrap(np.zeros((), array.dtype)))
    if array.dtype.kind == "c":
        raise unimplemented("bernoulli_scalar_cpu_", array.dtype)
    laid_out = array
    if feature:
        if array.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        laid_out = np.empty((*array.shape[:2], *(1,) * (array.ndim - 2)), array.dtype)
    draw = _kept if alpha else draws.dropout_noise
    kept = random._laid_out(laid_out, lambda shape, _: draw(random.default_generator, shape, array.dtype, p))
    if array.dtype.kind not in "fc":  # said when random numbers have been drawn
        given = dtypes.int64 if alpha and array.dtype.kind == "b" else dtypes.BY_NUMPY[array.dtype]
        kind, default = given.legacy, dtypes.get_default_dtype().legacy
        raise RuntimeError(f"result type {default} can't be cast to the desired output type {kind}")
    if not alpha:
        return multiply(wrap(kept))
    scale = 1 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = (kept - 1) * array.dtype.type(_ALPHA * scale) + array.dtype.type(_ALPHA * scale * p)
    found = multiply(wrap(kept * array.dtype.type(scale)))
    return found.add_(wrap(shift))


def _kept(generator: Any, shape: tuple[int, ...], kind: Any, p: float) -> Array:
    return draws.bernoulli(generator, shape, kind, 1 - p)


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Each element 0 with probability p, the others scaled up."""
    return _drop(input, p, train, False, False, False)


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """dropout, in place."""
    return _drop(input, p, train, False, False, True)


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Each channel 0 with probability p, the others scaled up."""
    return _drop(input, p, train, True, False, False)


def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """feature_dropout, in place."""
    return _drop(input, p, train, True, False, True)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout that keeps mean and deviation of what selu gives."""
    return _drop(input, p, train, False, True, False)


def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """alpha_dropout, in place."""
    return _drop(input, p, train, False, True, True)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """alpha_dropout of whole channels."""
    return _drop(input, p, train, True, True, False)


def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """feature_alpha_dropout, in place."""
    return _drop(input, p, train, True, True, True)
