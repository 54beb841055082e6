"""softmax and log_softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import wrap_dim
from ..kernels import half_up, need_floats
from ..registry import Array, op


def _shifted(array: Array, dim: int) -> Array:
    return array - np.maximum.reduce(array, axis=dim, keepdims=True)


@op(
    "SoftmaxBackward0",
    vmap="along_dim",
    schema_args=lambda self, dim: ((self, dim, False), {}),
    self=lambda grad, result, dim: _softmax_backward(grad, result, dim),
)
def _softmax(self: Array, dim: int) -> Array:
    dim = wrap_dim(dim, self.ndim, "softmax")
    if self.ndim == 0:
        return _softmax_row(self.reshape(1), 0).reshape(())
    return _softmax_row(self, dim)


def _need_floats(kernel: str, self: Array, dim: int) -> None:
    """Raise torch's error for other dtypes; its kernel for the last dimension has another name."""
    need_floats(f"{kernel}_lastdim_kernel_impl" if dim == self.ndim - 1 else f"{kernel}_kernel_impl", self)


def _softmax_row(self: Array, dim: int) -> Array:
    if not self.size:  # empty: any dtype is accepted
        return self.copy()
    _need_floats("softmax", self, dim)
    exponentials = np.exp(_shifted(half_up(self), dim))
    return np.divide(exponentials, np.add.reduce(exponentials, axis=dim, keepdims=True)).astype(
        self.dtype, order="C", copy=False
    )


def _softmax_double(grad: Tensor, grad_output: Tensor, output: Tensor, dim: int) -> Tensor:
    third = grad_output * (output * grad).sum(dim, True)  # see Note [Right operands first]
    second = (output * grad_output).sum(dim, True) * grad
    return grad_output * grad - second - third


@op(
    "SoftmaxBackwardDataBackward0",
    name="_softmax_backward_data",
    schema_args=lambda grad, output, dim: ((grad, output, dim, output.dtype), {}),
    grad_output=lambda grad, output, dim: _softmax_backward(grad, output, dim),
    output=_softmax_double,
)
def _softmax_backward(grad_output: Array, output: Array, dim: int) -> Array:
    if output.ndim == 0:
        return grad_output * output - output * (grad_output * output)
    grad, result = half_up(grad_output), half_up(output)
    product = grad * result
    found = product - result * np.add.reduce(product, axis=dim, keepdims=True)
    return found.astype(output.dtype, order="C", copy=False)


@op(
    "LogSoftmaxBackward0",
    vmap="along_dim",
    schema_args=lambda self, dim: ((self, dim, False), {}),
    self=lambda grad, result, dim: _log_softmax_backward(grad, result, dim),
)
def _log_softmax(self: Array, dim: int) -> Array:
    dim = wrap_dim(dim, self.ndim, "log_softmax")
    if self.ndim == 0:
        return _log_softmax_row(self.reshape(1), 0).reshape(())
    return _log_softmax_row(self, dim)


def _log_softmax_row(self: Array, dim: int) -> Array:
    if not self.size:
        return self.copy()
    _need_floats("log_softmax", self, dim)
    shifted = _shifted(half_up(self), dim)
    total = np.add.reduce(np.exp(shifted), axis=dim, keepdims=True)
    if dim == self.ndim - 1:  # torch accumulates these sums in the tensor's dtype
        total = total.astype(self.dtype, copy=False)
    return (shifted - np.log(total)).astype(self.dtype, order="C", copy=False)


def _log_softmax_double(grad: Tensor, grad_output: Tensor, output: Tensor, dim: int) -> Tensor:
    probabilities = output.exp()  # see Note [Right operands first]
    return -grad_output.sum(dim, True) * probabilities * grad


@op(
    "LogSoftmaxBackwardDataBackward0",
    name="_log_softmax_backward_data",
    schema_args=lambda grad, output, dim: ((grad, output, dim, output.dtype), {}),
    grad_output=lambda grad, output, dim: grad - (grad * output.exp()).sum(dim, True),
    output=_log_softmax_double,
)
def _log_softmax_backward(grad_output: Array, output: Array, dim: int) -> Array:
    if output.ndim == 0:
        return grad_output - np.exp(output) * grad_output
    grad = half_up(grad_output)
    result = grad - np.exp(half_up(output)) * np.add.reduce(grad, axis=dim, keepdims=True)
    return result.astype(output.dtype, order="C", copy=False)


@composite(vmap="decompose", out=Out(operator="aten::softmax"))
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """exp(x) / exp(x).sum(dim)."""
    return _softmax(input if dtype is None else input.to(dtype), dim)


@composite(vmap="decompose", out=Out(operator="aten::log_softmax"))
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of softmax."""
    return _log_softmax(input if dtype is None else input.to(dtype), dim)
