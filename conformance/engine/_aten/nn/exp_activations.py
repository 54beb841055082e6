"""Smooth activations: elu, celu, selu, softplus, logsigmoid, silu, mish, gelu (torch: native/Activation.cpp)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._arguments.argument_errors import check_tensors
from ..._autograd.tensor import Tensor, make
from ..._c10.dtypes import F64, number_in_single, number_within
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.shapes import laid_out, like_steps
from ..inplace import run_inplace
from ..kernels import chosen, half_up, need_floats, need_inexact, scipy
from ..registry import ROWS, Array, op
from ..scalar_operands import less_than, minus, plus, times

# Functions of the torch namespace, besides torch.nn.functional.
PUBLIC = ("celu", "celu_", "selu", "selu_")

SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946

# Exponential --------------------------------------------------------------------------------------


@op(
    "EluBackwardBackward0",
    name="elu_backward",
    vmap="element_by_element",
    grad_output=lambda grad, alpha, scale, input_scale, is_result, self_or_result: _elu_backward(
        grad, alpha, scale, input_scale, is_result, self_or_result
    ),
    self_or_result=lambda grad, grad_output, alpha, scale, input_scale, is_result, self_or_result: (
        _elu_double(grad, grad_output, alpha, scale, input_scale, is_result, self_or_result)
    ),
)
def _elu_backward(
    grad_output: Array, alpha: Any, scale: Any, input_scale: Any, is_result: bool, self_or_result: Array
) -> Array:
    if is_result and alpha < 0:
        raise RuntimeError(
            "In-place elu backward calculation is triggered with a negative slope which is not supported. This is "
            "caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead."
        )
    grad, x = half_up(grad_output), half_up(self_or_result)
    slope = alpha * scale
    below = (
        grad * input_scale * (x + slope)
        if is_result
        else grad * (input_scale * slope) * np.exp(x * input_scale)
    )
    result = chosen(x <= 0, below, grad * scale).astype(grad_output.dtype, copy=False)
    return laid_out(result, grad_output, self_or_result)


def _elu_double(
    grad: Tensor, grad_output: Tensor, alpha: Any, scale: Any, input_scale: Any, is_result: bool, at: Tensor
) -> Tensor:
    product = times(grad * grad_output, input_scale)
    below = (at < 0).to(grad.dtype)
    if is_result:
        return product * below
    return _elu_backward(product, alpha, scale, input_scale, False, at) * below


def _elu_kernel(self: Array, alpha: Any, scale: Any, input_scale: Any) -> Array:
    need_floats("elu_cpu", self)
    alpha, scale, input_scale = (number_in_single(self.dtype, each) for each in (alpha, scale, input_scale))
    x = half_up(self)
    below = np.expm1(x * input_scale) * (alpha * scale)
    return chosen(x <= 0, below, x * scale).astype(self.dtype, copy=False)


@op(
    "EluBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=lambda grad, self, alpha, scale, input_scale: _elu_backward(
        grad, alpha, scale, input_scale, False, self
    ),
)
def elu(self: Array, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Array:
    """x where x > 0, else alpha * (exp(x) - 1)."""
    return _elu_kernel(self, alpha, scale, input_scale)


@op(
    "EluBackward1",
    name="elu_",
    undefined_argument=(5, "self_or_result"),
    self=lambda grad, result, alpha, scale, input_scale: _elu_backward(
        grad, alpha, scale, input_scale, True, result
    ),
)
def _elu_in_place(self: Array, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Array:
    return _elu_kernel(self, alpha, scale, input_scale)


def _celu_kernel(self: Array, alpha: Any) -> Array:
    return _elu_kernel(self, alpha, 1, 1.0 / number_within(F64, alpha))


def _inverse(alpha: Any) -> float:
    """1 / alpha as in celu's derivative, which rounds alpha to single precision."""
    return 1.0 / float(np.float32(alpha))


@op(
    "CeluBackward0",
    promote="self",
    jvp="auto_element_wise",
    out=False,
    variants="function",
    self=lambda grad, self, alpha: _elu_backward(grad, alpha, 1, _inverse(alpha), False, self),
)
def celu(self: Array, alpha: Any = 1.0) -> Array:
    """elu with an input scale of 1 / alpha: continuously differentiable for every alpha."""
    return _celu_kernel(self, alpha)


@op(
    "CeluBackward1",
    name="celu_",
    undefined_argument=(5, "self_or_result"),
    self=lambda grad, result, alpha: _elu_backward(grad, alpha, 1, _inverse(alpha), True, result),
)
def _celu_in_place(self: Array, alpha: Any = 1.0) -> Array:
    return _celu_kernel(self, alpha)


@composite(variants="function")
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """celu, in place."""
    return run_inplace(ROWS["celu_"], [input, alpha])


@composite(variants="function", vmap="decompose")
def selu(input: Tensor) -> Tensor:
    """elu with the alpha and scale of self-normalizing networks."""
    return elu(input, SELU_ALPHA, SELU_SCALE)


@composite(variants="function")
def selu_(input: Tensor) -> Tensor:
    """selu, in place."""
    return run_inplace(ROWS["elu_"], [input, SELU_ALPHA, SELU_SCALE, 1])


@op(
    "SoftplusBackwardBackward0",
    name="softplus_backward",
    vmap="element_by_element",
    grad_output=lambda grad, self, beta, threshold: _softplus_backward(grad, self, beta, threshold),
    self=lambda grad, grad_output, self, beta, threshold: _softplus_double(
        grad * grad_output, self, beta, threshold
    ),
)
def _softplus_backward(grad_output: Array, self: Array, beta: Any, threshold: Any) -> Array:
    grad, x = half_up(grad_output), half_up(self)
    scaled = x * beta
    exponential = np.exp(scaled)
    inside = grad * exponential / (exponential + 1)
    result = np.where(scaled > threshold, grad, inside).astype(grad_output.dtype, copy=False)
    return laid_out(result, grad_output, self)


def _softplus_double(grad: Tensor, self: Tensor, beta: Any, threshold: Any) -> Tensor:
    x = times(self, beta)
    slope = ROWS["sigmoid_backward"].call(grad, x.sigmoid())
    return times(slope * (x < threshold).to(grad.dtype), beta)


@op(
    "SoftplusBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=lambda grad, self, beta, threshold: _softplus_backward(grad, self, beta, threshold),
)
def softplus(self: Array, beta: Any = 1, threshold: Any = 20) -> Array:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x exceeds the threshold."""
    need_floats("softplus_cpu", self)
    beta, threshold = (number_in_single(self.dtype, each) for each in (beta, threshold))
    x = half_up(self)
    scaled = x * beta
    result = np.log1p(np.exp(scaled)) / beta
    return np.where(scaled > threshold, x, result).astype(self.dtype, copy=False)


@op(
    "LogSigmoidBackwardBackward0",
    name="log_sigmoid_backward",
    tensors="buffer",
    vmap="element_by_element",
    grad_output=lambda grad, self, buffer: _log_sigmoid_backward(grad, self, buffer),
    self=lambda grad, grad_output, self: _log_sigmoid_double(grad * grad_output, self),
)
def _log_sigmoid_backward(grad_output: Array, self: Array, buffer: Array) -> Array:
    grad, z = half_up(grad_output), half_up(buffer)
    below = self < 0
    share = z / (z + 1)
    result = (grad * np.where(below, 1 - share, share)).astype(grad_output.dtype, copy=False)
    return like_steps(result, grad_output)


def _log_sigmoid_double(grad: Tensor, self: Tensor) -> Tensor:
    z = self.sigmoid()
    return grad * minus(z, 1) * z


@op(
    "LogSigmoidBackward0",
    name="log_sigmoid_forward",
    tensors="buffer",
    self=lambda grad, self, buffer: _log_sigmoid_backward(grad, self, buffer),
)
def _log_sigmoid(self: Array, buffer: Array) -> Array:
    wide = half_up(self)
    result = np.minimum(wide, 0) - np.log1p(np.exp(-np.abs(wide)))
    return result.astype(self.dtype, order="C", copy=False)


@composite(vmap="decompose", out=None)
def logsigmoid(input: Tensor) -> Tensor:
    """The logarithm of the sigmoid."""
    check_tensors("log_sigmoid", input=input)
    array = input._array
    need_floats("log_sigmoid_cpu", array)
    return _log_sigmoid(input, make(np.exp(-np.abs(array))))


# Gated by a sigmoid, tanh or normal distribution --------------------------------------------------


# Note [Kernels of first derivatives]: without create_graph, torch computes the gradient with one kernel; with it, the
# gradient is composed of differentiable operations.


@op(name="silu_backward", tensors="grad_output self", jvp="not_differentiable")
def _silu_slope(grad_output: Array, self: Array) -> Array:
    grad, x = half_up(grad_output), half_up(self)
    s = 1 / (np.exp(-x) + 1)
    return laid_out((grad * s * (1 + x * (1 - s))).astype(self.dtype, copy=False), grad_output, self)


def _silu_backward(grad: Tensor, self: Tensor) -> Tensor:
    if not state.grad_enabled:
        return _silu_slope(grad, self)
    s = self.sigmoid()
    slope = plus(self * less_than(1, s), 1)  # see Note [Right operands first]
    return grad * s * slope


@op(
    "SiluBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=_silu_backward,
)
def silu(self: Array) -> Array:
    """x * sigmoid(x)."""
    need_inexact("silu_cpu", self)
    x = half_up(self)
    return (x / (np.exp(-x) + 1)).astype(self.dtype, copy=False)


@op(name="mish_backward", tensors="grad_output self", jvp="not_differentiable")
def _mish_slope(grad_output: Array, self: Array) -> Array:
    grad, x = half_up(grad_output), half_up(self)
    gate, s = np.tanh(np.log1p(np.exp(x))), 1 / (np.exp(-x) + 1)
    return laid_out(
        (grad * (gate + x * s * (1 - gate * gate))).astype(self.dtype, copy=False), grad_output, self
    )


def _mish_backward(grad: Tensor, self: Tensor) -> Tensor:
    if not state.grad_enabled:
        return _mish_slope(grad, self)
    s, gate = self.sigmoid(), self.exp().log1p().tanh()
    rest = less_than(1, gate * gate)  # see Note [Right operands first]
    return grad * (gate + self * s * rest)


@op(
    "MishBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=_mish_backward,
)
def mish(self: Array) -> Array:
    """x * tanh(softplus(x))."""
    need_floats("mish_cpu", self)
    x = half_up(self)
    return (x * np.tanh(np.log1p(np.exp(x)))).astype(self.dtype, copy=False)


_BETA, _KAPPA = math.sqrt(2 / math.pi), 0.044715  # of gelu with approximate="tanh"


def _normal_distribution(x: Array) -> Array:
    result = scipy("erf")(x * x.dtype.type(math.sqrt(0.5)))
    result += 1
    result *= x.dtype.type(0.5)
    return result


def _gelu_double(grad: Tensor, grad_output: Tensor, self: Tensor, approximate: str) -> Tensor:
    if approximate == "none":
        squared = self * self
        density = times(times(squared, -0.5).exp(), 1 / math.sqrt(2 * math.pi))
        curved = squared * density  # see Note [Right operands first]
        factor = times(density, 2) - curved
        return grad * grad_output * factor
    inner = times(self + times(self.pow(3), _KAPPA), _BETA)
    gate, cosh = inner.tanh(), inner.cosh()
    sech = make(np.ones_like(cosh._array)) / cosh
    half, shut = times(self, 0.5), less_than(1, gate * gate)
    slope = times(plus(times(self, 3 * _KAPPA) * self, 1), _BETA)
    left = times(shut, 0.5) * slope
    closing = -sech * gate  # here and below: see Note [Right operands first]
    opening = times(sech, 2) * closing * slope
    second = half * slope * opening
    curve = times(times(self, 6 * _KAPPA), _BETA)
    third = half * shut * curve
    factor = times(left, 2) + second + third
    return grad * grad_output * factor


@op(
    "GeluBackwardBackward0",
    name="gelu_backward",
    grad_output=lambda grad, self, approximate: _gelu_backward(grad, self, approximate),
    self=_gelu_double,
)
def _gelu_backward(grad_output: Array, self: Array, approximate: str) -> Array:
    grad, x = half_up(grad_output), half_up(self)
    if approximate == "none":
        density = np.exp(x * x * x.dtype.type(-0.5)) * x.dtype.type(1 / math.sqrt(2 * math.pi))
        slope = _normal_distribution(x) + x * density
    else:
        gate = np.tanh(_BETA * (x + _KAPPA * (x * x * x)))
        slope = 0.5 * (1 + gate) + 0.5 * x * ((1 - gate * gate) * (_BETA * (1 + 3 * _KAPPA * (x * x))))
    return laid_out((grad * slope).astype(grad_output.dtype, copy=False), grad_output, self)


@op(
    "GeluBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=lambda grad, self, approximate: _gelu_backward(grad, self, approximate),
)
def gelu(self: Array, *, approximate: str = "none") -> Array:
    """x times the normal distribution's cdf at x, or the tanh approximation of that."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    need_floats("GeluKernelImpl", self)
    x = half_up(self)
    if approximate == "none":
        result = _normal_distribution(x)
        result *= x
        return result.astype(self.dtype, copy=False)
    return (0.5 * x * (1 + np.tanh(_BETA * (x + _KAPPA * (x * x * x))))).astype(self.dtype, copy=False)
