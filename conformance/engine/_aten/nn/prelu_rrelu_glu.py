"""prelu, rrelu and glu."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10.dtypes import FULL_PRECISION
from ..._c10.errors import need_fitting, unimplemented
from ..._c10.operator_facts import composite
from ..._c10.shapes import laid_out, like_steps, wrap_dim
from ..creation.factories import zeros_like, zeros_written
from ..inplace import run_inplace
from ..kernels import chosen, half_up, in_single, kept, need_floats
from ..pointwise.where_clamp import where
from ..random import random
from ..random.distribution_kernels import uniform
from ..registry import ROWS, Array, op
from ..scalar_operands import less_than
from ..shape.cat_stack import cat

PUBLIC = ("prelu", "rrelu", "rrelu_")

# prelu --------------------------------------------------------------------------------------------


@op(
    "PreluKernelBackward0",
    jvp="multilinear",
    vmap="pointwise",
    inputs={"self weight": lambda grad, self, weight: _prelu_backward(grad, self, weight)},
)
def _prelu_kernel(self: Array, weight: Array) -> Array:
    need_floats("prelu_cpu", self)
    return like_steps(chosen(self > 0, self, weight * self), self)


def _of_first(grads: Any, self: Tensor, weight: Tensor) -> Tensor:
    first, second = grads
    if second is None:
        return where(self >= 0, first, first * weight)
    by_weight = second * self
    if first is None:
        return where(self >= 0, 0.0, by_weight)
    return where(self >= 0, first, first * weight + by_weight)


def _of_self(grads: Any, grad_output: Tensor, self: Tensor) -> Tensor:
    return (
        zeros_written(self._array.shape, self.dtype)
        if grads[1] is None
        else where(self >= 0, 0.0, grad_output * grads[1])
    )


def _of_weight(grads: Any, grad_output: Tensor, self: Tensor) -> Tensor:
    return (
        zeros_written(self._array.shape, self.dtype)
        if grads[0] is None
        else where(self >= 0, 0.0, grad_output * grads[0])
    )


@op(
    "PreluKernelBackwardBackward0",
    name="_prelu_kernel_backward",
    outputs="grad_self grad_weight",
    grad_output=_of_first,
    self=_of_self,
    weight=_of_weight,
)
def _prelu_backward(grad_output: Array, self: Array, weight: Array) -> tuple[Array, Array]:
    positive = self > 0
    of_self = chosen(positive, grad_output, weight * grad_output)
    return laid_out(of_self, self), kept(self * grad_output, ~positive)


@composite(vmap="decompose", autocast="lower_precision_fp")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where x > 0, else weight * x; the weight is one number or one per channel."""
    ndim, count = input._array.ndim, weight._array.size
    fits = input.dtype is weight.dtype and weight._array.ndim <= 1
    need_fitting(fits and (count == 1 or input._array.shape[1:2] == (count,)), "prelu")
    if ndim != weight._array.ndim:
        weight = weight.reshape([count if axis == 1 else 1 for axis in range(ndim)])
    return _prelu_kernel(input, weight)


# rrelu --------------------------------------------------------------------------------------------


@op(
    "RreluWithNoiseBackwardBackward0",
    name="rrelu_with_noise_backward",
    tensors="noise",
    grad_output=lambda grad, self, noise, lower, upper, training: _rrelu_backward(
        grad, self, noise, lower, upper, training, False
    ),
    self=lambda grad: zeros_like(grad),
)
def _rrelu_backward(
    grad_output: Array,
    self: Array,
    noise: Array,
    lower: Any,
    upper: Any,
    training: bool,
    self_is_result: bool,
) -> Array:
    if training:
        return grad_output * noise
    return ROWS["leaky_relu_backward"].forward(grad_output, self, (lower + upper) / 2, self_is_result)


def _rrelu_kernel(self: Array, noise: Array, lower: Any, upper: Any, training: bool) -> Array:
    """rrelu; in training it fills ``noise`` with a slope for each element that is not positive and 1 for the others."""
    need_fitting(-math.inf < lower <= upper < math.inf, "rrelu")
    if not training:
        need_floats("leaky_relu_cpu", self)
        return np.asarray(
            np.where(self > 0, self, in_single(np.multiply, self, (lower + upper) / 2)), order="C"
        )
    if self.dtype not in FULL_PRECISION and self.dtype.kind != "V":
        raise unimplemented("rrelu_with_noise_out_cpu", self.dtype)
    below = self <= 0
    noise[...] = 1
    if below.any():
        noise[below] = uniform(
            random.default_generator, (int(below.sum()),), np.dtype(np.float64), lower, upper
        )
    return np.multiply(self, noise, order="C")


@op(
    "RreluWithNoiseBackward0",
    name="rrelu_with_noise",
    tensors="noise",
    self=lambda grad, self, noise, lower, upper, training: _rrelu_backward(
        grad, self, noise, lower, upper, training, False
    ),
)
def _rrelu_with_noise(self: Array, noise: Array, lower: Any, upper: Any, training: bool) -> Array:
    return _rrelu_kernel(self, noise, lower, upper, training)


@op(
    "RreluWithNoiseBackward1",
    name="rrelu_with_noise_",
    tensors="noise",
    self=lambda grad, result, noise, lower, upper, training: _rrelu_backward(
        grad, result, noise, lower, upper, training, True
    ),
)
def _rrelu_with_noise_in_place(self: Array, noise: Array, lower: Any, upper: Any, training: bool) -> Array:
    return _rrelu_kernel(self, noise, lower, upper, training)


@composite(variants="function", vmap="unsupported")
def rrelu(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Tensor:
    """leaky_relu with slopes drawn between lower and upper in training, else with their mean."""
    return _rrelu_with_noise(input, make(np.empty_like(input._array, order="C")), lower, upper, training)


@composite(variants="function", vmap="unsupported")
def rrelu_(
    input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None
) -> Tensor:
    """rrelu, in place."""
    noise = make(np.empty_like(input._array, order="C"))
    return run_inplace(ROWS["rrelu_with_noise_"], [input, noise, lower, upper, training])


# glu ----------------------------------------------------------------------------------------------


def _halves(self: Array, dim: int) -> tuple[Array, Array]:
    if self.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    axis = wrap_dim(dim, self.ndim)
    n = self.shape[axis]
    if n % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {n}")
    lead = (slice(None),) * axis
    return self[(*lead, slice(0, n // 2))], self[(*lead, slice(n // 2, n))]


def _sigmoid(x: Array) -> Array:
    return 1 / (np.exp(-x) + 1)


@op("GluBackward0", vmap="along", self=lambda grad, self, dim: _glu_backward(grad, self, dim))
def glu(self: Array, dim: int = -1) -> Array:
    """The first half of a dimension times the sigmoid of the second."""
    first, second = _halves(self, dim)
    need_floats("glu_cpu", self)
    result = (half_up(first) * _sigmoid(half_up(second))).astype(self.dtype, copy=False)
    return laid_out(result, first, second)


def _glu_double_of_grad(grad: Tensor, self: Tensor, dim: int) -> Tensor:
    n = self._array.shape[dim] // 2
    shape = list(self._array.shape)
    shape[dim] = n
    product = grad * _glu_backward(make(np.ones(shape, self._array.dtype)), self, dim)
    second = product.narrow(dim, n, n)  # here and below: see Note [Right operands first]
    return product.narrow(dim, 0, n) + second


def _glu_double(grad: Tensor, grad_output: Tensor, self: Tensor, dim: int) -> Tensor:
    n = self._array.shape[dim] // 2
    first, gate = self.narrow(dim, 0, n), self.narrow(dim, n, n).sigmoid()
    shut = less_than(1, gate)
    slope = gate * shut
    grad_first, grad_second = grad.narrow(dim, 0, n), grad.narrow(dim, n, n)
    across = grad_second * first
    of_first = grad_second * grad_output * slope
    closing = gate * slope
    curve = slope * shut - closing
    straight = grad_first * grad_output * slope
    return cat([of_first, across * grad_output * curve + straight], dim)


@op(
    "GluBackwardBackward0",
    name="glu_backward",
    grad_output=_glu_double_of_grad,
    self=_glu_double,
)
def _glu_backward(grad_output: Array, self: Array, dim: int) -> Array:
    grad = half_up(grad_output)
    first, second = (half_up(each) for each in _halves(self, dim))
    gate = half_up(_sigmoid(second).astype(self.dtype, copy=False))  # rounded: torch stores it in the result
    parts = [grad * gate, (1 - gate) * gate * first * grad]
    return np.concatenate(parts, wrap_dim(dim, self.ndim)).astype(self.dtype, order="C", copy=False)
