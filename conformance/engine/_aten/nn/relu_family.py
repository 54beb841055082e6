"""Piecewise linear activations, with torch's double-backward nodes (torch: native/Activation.cpp).

Kernels compute half precision in single. The comparisons are written as in torch's kernels, so that values exactly on
a kink, and nan, take the same branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import unsupported
from ..._c10.dtypes import F64, I64, float_limits, number_in_single, number_within
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import laid_out
from ..creation.factories import zeros_like
from ..inplace import run_inplace
from ..kernels import chosen, half_up, in_single, kept, need_floats, refuse_bools
from ..pointwise.where_clamp import clamped, where
from ..registry import ROWS, Array, op
from ..scalar_operands import over

# Functions of the torch namespace, besides torch.nn.functional.
PUBLIC = ("hardshrink", "relu", "threshold", "threshold_")


# Piecewise linear ---------------------------------------------------------------------------------


@op(
    "ThresholdBackwardBackward0",
    name="threshold_backward",
    vmap="element_by_element",
    grad_output=lambda grad, self, threshold: _threshold_backward(grad, self, threshold),
    self=lambda grad: zeros_like(grad),
)
def _threshold_backward(grad_output: Array, self: Array, threshold: Any) -> Array:
    return kept(grad_output, ~(self <= threshold), self, grad_output)


@op(
    "ReluBackward0",
    promote="self",
    no_complex=NotImplementedError("clamp is not supported for complex types"),
    jvp="auto_element_wise",
    out=False,
    undefined_argument=(1, "self"),
    inplace="function, method",
    self=lambda grad, result: _threshold_backward(grad, result, 0),
)
def relu(self: Array) -> Array:
    """The positive part; its gradient at 0 is 0."""
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return clamped(self, 0, None)


@op(
    "ThresholdBackward0",
    promote="self",
    no_complex="threshold_cpu",
    jvp="auto_element_wise",
    variants="function",
    self=lambda grad, self, threshold: _threshold_backward(grad, self, threshold),
)
def threshold(self: Array, threshold: Any, value: Any) -> Array:
    """x where x > threshold, else value."""
    refuse_bools("threshold_cpu", self)
    least, instead = (
        number_within(self.dtype, number_in_single(self.dtype, each)) for each in (threshold, value)
    )
    return chosen(self <= least, np.asarray(instead).astype(self.dtype), self)


@op(
    "ThresholdBackward1",
    name="threshold_",
    self=lambda grad, self, threshold: _threshold_backward(grad, self, threshold),
)
def _threshold_in_place(self: Array, threshold: Any, value: Any) -> Array:
    return ROWS["threshold"].forward(self, threshold, value)


@composite(variants="function")
def threshold_(input: Tensor, threshold: Any, value: Any) -> Tensor:
    """threshold, in place."""
    return run_inplace(ROWS["threshold_"], [input, threshold, value])


@op(
    "HardtanhBackwardBackward0",
    name="hardtanh_backward",
    vmap="element_by_element",
    grad_output=lambda grad, self, min_val, max_val: _hardtanh_backward(grad, self, min_val, max_val),
    self=lambda grad: zeros_like(grad),
)
def _hardtanh_backward(grad_output: Array, self: Array, min_val: Any, max_val: Any) -> Array:
    return kept(grad_output, ~((self <= min_val) | (self >= max_val)), grad_output, self)


@op(
    "HardtanhBackward0",
    promote="self",
    no_complex=NotImplementedError("clamp is not supported for complex types"),
    jvp="auto_element_wise",
    self=lambda grad, self, min_val, max_val: _hardtanh_backward(grad, self, min_val, max_val),
)
def hardtanh(self: Array, min_val: Any = -1, max_val: Any = 1) -> Array:
    """Clamp to the range from min_val to max_val."""
    if self.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if self.dtype.kind in "iu":
        min_val, max_val = (number_within(I64, each, "int64_t") for each in (min_val, max_val))
        need_fitting(self.dtype.kind == "i" or min_val >= 0, "hardtanh")
    given = [number_within(self.dtype, each) for each in (min_val, max_val)]
    lowest, highest = np.array(given).astype(self.dtype)
    return clamped(self, lowest, highest)


@op(
    "LeakyReluBackwardBackward0",
    name="leaky_relu_backward",
    vmap="element_by_element",
    grad_output=lambda grad, self, negative_slope: _leaky_relu_backward(grad, self, negative_slope, False),
    self=lambda grad: zeros_like(grad),
)
def _leaky_relu_backward(grad_output: Array, self: Array, negative_slope: Any, self_is_result: bool) -> Array:
    if self_is_result and negative_slope < 0:
        raise RuntimeError(
            "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This "
            "is caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead. File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place "
            "leakRelu backward calculation with negative slope"
        )
    result = chosen(self > 0, grad_output, in_single(np.multiply, grad_output, negative_slope))
    return laid_out(result, self, grad_output)


@op(
    "LeakyReluBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=lambda grad, self, negative_slope: _leaky_relu_backward(grad, self, negative_slope, False),
)
def leaky_relu(self: Array, negative_slope: Any = 0.01) -> Array:
    """x where x > 0, else negative_slope * x."""
    need_floats("leaky_relu_cpu", self)
    negative_slope = number_in_single(self.dtype, negative_slope)
    below = in_single(np.multiply, self, negative_slope)
    return chosen(self > 0, self, below)


@op(
    "LeakyReluBackward1",
    name="leaky_relu_",
    vmap="pointwise",
    undefined_argument=(1, "self"),
    self=lambda grad, result, negative_slope: _leaky_relu_backward(grad, result, negative_slope, True),
)
def _leaky_relu_in_place(self: Array, negative_slope: Any = 0.01) -> Array:
    return ROWS["leaky_relu"].forward(self, negative_slope)


@op(
    "NotImplemented",
    name="hardsigmoid_backward",
    vmap="element_by_element",
    grad_output=unsupported("hardsigmoid_backward"),
    self=unsupported("hardsigmoid_backward"),
)
def _hardsigmoid_backward(grad_output: Array, self: Array) -> Array:
    wide = half_up(grad_output)
    sixth = np.float32(1) / np.float32(6)  # torch uses single precision here, for doubles as well
    slope = wide * wide.dtype.type(sixth)
    return kept(slope.astype(grad_output.dtype, copy=False), (self > -3) & (self < 3), grad_output, self)


@op(
    "HardsigmoidBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=lambda grad, self: _hardsigmoid_backward(grad, self),
)
def hardsigmoid(self: Array) -> Array:
    """clamp(x + 3, 0, 6) / 6."""
    need_floats("hardsigmoid_cpu", self)
    wide = half_up(self)
    return ((wide + 3).clip(0, 6) / wide.dtype.type(6)).astype(self.dtype, copy=False)


@op(
    "HardswishBackwardBackward0",
    name="hardswish_backward",
    vmap="element_by_element",
    grad_output=lambda grad, self: _hardswish_backward(grad, self),
    self=lambda grad, grad_output, self: where(
        (self > -3.0).logical_and(self < 3.0), over(grad * grad_output, 3.0), 0.0
    ),
)
def _hardswish_backward(grad_output: Array, self: Array) -> Array:
    wide, wide_grad = half_up(self), half_up(grad_output)
    inside = wide_grad * (wide / wide.dtype.type(3) + wide.dtype.type(0.5))
    result = kept(chosen(self < 3, inside, wide_grad).astype(grad_output.dtype, copy=False), ~(self <= -3))
    return laid_out(result, grad_output, self)


@op(
    "HardswishBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=lambda grad, self: _hardswish_backward(grad, self),
)
def hardswish(self: Array) -> Array:
    """x * hardsigmoid(x)."""
    need_floats("hardswish_cpu", self)
    wide = half_up(self)
    return (wide * (wide + 3).clip(0, 6) / wide.dtype.type(6)).astype(self.dtype, copy=False)


def _outside(self: Array, lambd: Any) -> Array:
    """Where abs(x) > lambd, which is rounded to the dtype of x."""
    bound = self.dtype.type(lambd)
    return ~((self >= -bound) & (self <= bound))


@op(
    "HardshrinkBackwardBackward0",
    name="hardshrink_backward",
    vmap="element_by_element",
    grad_out=lambda grad, self, lambd: _hardshrink_backward(grad, self, lambd),
    self=lambda grad: zeros_like(grad),
)
def _hardshrink_backward(grad_out: Array, self: Array, lambd: Any) -> Array:
    return kept(grad_out, _outside(self, lambd), grad_out, self)


@op(
    "HardshrinkBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=lambda grad, self, lambd: _hardshrink_backward(grad, self, lambd),
)
def hardshrink(self: Array, lambd: Any = 0.5) -> Array:
    """0 where -lambd <= x <= lambd, else x."""
    need_floats("hardshrink_cpu", self)
    return kept(self, _outside(self, number_within(self.dtype, lambd)))


@op(
    "SoftshrinkBackwardBackward0",
    name="softshrink_backward",
    vmap="element_by_element",
    grad_output=lambda grad, self, lambd: _softshrink_backward(grad, self, lambd),
    self=lambda grad: zeros_like(grad),
)
def _softshrink_backward(grad_output: Array, self: Array, lambd: Any) -> Array:
    return kept(grad_output, _outside(self, lambd), grad_output, self)


@op(
    "SoftshrinkBackward0",
    promote="self",
    jvp="auto_element_wise",
    self=lambda grad, self, lambd: _softshrink_backward(grad, self, lambd),
)
def softshrink(self: Array, lambd: Any = 0.5) -> Array:
    """x moved towards 0 by lambd; 0 where -lambd <= x <= lambd."""
    need_floats("softshrink_check", self)
    lambd = number_within(F64, lambd)
    need_fitting(0 <= lambd <= float(float_limits(self.dtype).max), "softshrink")
    wide = half_up(self)
    result = wide - wide.clip(-lambd, lambd)
    result = np.copysign(result, wide)
    return result.astype(self.dtype, copy=False)
