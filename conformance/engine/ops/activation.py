"""Activations: the functions between layers, with their own double-backward nodes as in torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..creation import zeros_like
from ..rows import Array, op
from ..shapes import wrap_dim
from ..tensor import Tensor

# Piecewise linear ---------------------------------------------------------------------------------


@op(
    "ThresholdBackwardBackward0",
    name="threshold_backward",
    tensors="self",
    grad_output=lambda grad, self, threshold: _threshold_backward(grad, self, threshold),
    self=lambda grad: zeros_like(grad),
)
def _threshold_backward(grad_output: Array, self: Array, threshold: Any) -> Array:
    """The gradient where the input was above the threshold."""
    return np.where(self <= threshold, grad_output.dtype.type(0), grad_output)


@op("ReluBackward0", self=lambda grad, result: _threshold_backward(grad, result, 0))
def relu(self: Array) -> Array:
    """The positive part; its gradient at 0 is 0."""
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return np.maximum(self, 0)


# Softmax ------------------------------------------------------------------------------------------


def _shifted(array: Array, dim: int) -> Array:
    if not array.size:
        return array
    return array - np.max(array, axis=dim, keepdims=True)


def _floats(self: Array, kernel: str) -> Array:
    if self.dtype.kind not in "fc":
        from .. import dtypes

        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.BY_NUMPY[self.dtype].legacy}'")
    return self.astype(np.float32) if self.dtype == np.float16 else self


@op("SoftmaxBackward0", name="_softmax", self=lambda grad, result, dim: _softmax_backward(grad, result, dim))
def _softmax(self: Array, dim: int) -> Array:
    if self.ndim == 0:
        return _softmax_row(self.reshape(1), 0).reshape(())
    return _softmax_row(self, wrap_dim(dim, self.ndim))


def _softmax_row(self: Array, dim: int) -> Array:
    exponentials = np.exp(_shifted(_floats(self, "softmax_lastdim_kernel_impl"), dim))
    return np.divide(exponentials, np.sum(exponentials, axis=dim, keepdims=True)).astype(
        self.dtype, copy=False
    )


@op(
    "SoftmaxBackwardDataBackward0",
    name="_softmax_backward_data",
    grad_output=lambda grad, output, dim: _softmax_backward(grad, output, dim),
    output=lambda grad, grad_output, output, dim: (
        grad_output * grad
        - (output * grad_output).sum(dim, True) * grad
        - grad_output * (output * grad).sum(dim, True)
    ),
)
def _softmax_backward(grad_output: Array, output: Array, dim: int) -> Array:
    if output.ndim == 0:
        return grad_output * output - output * (grad_output * output)
    product = grad_output * output
    return product - output * np.sum(product, axis=dim, keepdims=True)


@op(
    "LogSoftmaxBackward0",
    name="_log_softmax",
    self=lambda grad, result, dim: _log_softmax_backward(grad, result, dim),
)
def _log_softmax(self: Array, dim: int) -> Array:
    if self.ndim == 0:
        return _log_softmax_row(self.reshape(1), 0).reshape(())
    return _log_softmax_row(self, wrap_dim(dim, self.ndim))


def _log_softmax_row(self: Array, dim: int) -> Array:
    shifted = _shifted(_floats(self, "log_softmax_lastdim_kernel_impl"), dim)
    return (shifted - np.log(np.sum(np.exp(shifted), axis=dim, keepdims=True))).astype(self.dtype, copy=False)


@op(
    "LogSoftmaxBackwardDataBackward0",
    name="_log_softmax_backward_data",
    grad_output=lambda grad, output, dim: grad - (grad * output.exp()).sum(dim, True),
    output=lambda grad, grad_output, output, dim: -grad_output.sum(dim, True) * output.exp() * grad,
)
def _log_softmax_backward(grad_output: Array, output: Array, dim: int) -> Array:
    if output.ndim == 0:
        return grad_output - np.exp(output) * grad_output
    return grad_output - np.exp(output) * np.sum(grad_output, axis=dim, keepdims=True)


def softmax(input: Tensor, dim: int, dtype: Any = None, *, out: Any = None) -> Tensor:
    """Exponentials along a dimension, scaled so that they sum to 1."""
    return _softmax(input if dtype is None else input.to(dtype), dim, out=out)  # type: ignore[no-any-return]


def log_softmax(input: Tensor, dim: int, dtype: Any = None, *, out: Any = None) -> Tensor:
    """The logarithm of softmax."""
    return _log_softmax(input if dtype is None else input.to(dtype), dim, out=out)  # type: ignore[no-any-return]
