"""torch.conv_tbc: a convolution over (time, batch, channels), one matrix product for each kernel element."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10 import dtypes
from ..._c10.operator_facts import composite
from ..creation.factories import zeros_like
from ..registry import ROWS, Array, op

PUBLIC = ()


def _check(input: Array, weight: Array, bias: Array) -> None:
    for wrong, text in (
        (input.ndim != 3, "Input must have 3 dims: time, batch, in_channel"),
        (weight.ndim != 3, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."),
        (bias.ndim != 1, "Bias must be 1-D"),
    ):
        if wrong:
            raise RuntimeError(text)
    for wrong, text in (
        (
            input.shape[2] != weight.shape[1],
            "Input dim 2 (input channels) is not == dim 1 in the weight tensor",
        ),
        (
            weight.shape[2] != bias.shape[0],
            "Bias size must equal dim 2 in the weight tensor (output channels).",
        ),
    ):
        if wrong:
            raise RuntimeError(text)


def _overlaps(length: int, kernel: int, pad: int) -> Iterator[tuple[int, slice, slice]]:
    """For each kernel element: its index, the time steps that it reads and the time steps that it adds to."""
    result = length - kernel + 1 + pad * 2
    real = int((result - length + kernel - 1) / 2)
    for k in range(kernel):
        read, added = max(0, k - real), max(0, real - k)
        count = min(length + real - k, result) - added
        if count > 0:
            yield k, slice(read, read + count), slice(added, added + count)


def _flat(array: Array, times: slice) -> Array:
    """The rows of a range of time steps, as a view.

    Raises:
        RuntimeError: the strides do not allow a view.
    """
    part = array[times]
    result: Array = ROWS["view"].forward(part, (part.shape[0] * part.shape[1], part.shape[2]))
    return result


@op(
    "ConvTbcBackward0",
    name="conv_tbc",
    jvp="not_implemented",
    autocast="lower_precision_fp",
    vmap="fallback",
    inputs={
        "self weight bias": lambda grad, self, weight, bias, pad: _backward(grad, self, weight, bias, pad),
    },
)
def _convolution(self: Array, weight: Array, bias: Array, pad: int = 0) -> Array:
    _check(self, weight, bias)
    length, kernel = len(self), len(weight)
    shape = (length - kernel + 1 + pad * 2, self.shape[1], weight.shape[2])
    if shape[0] < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {shape[0]}: {list(shape)}")
    result = np.empty(shape, self.dtype)
    result[...] = bias
    for k, read, added in _overlaps(length, kernel, pad):
        rows, of_kernel = _flat(self, read), weight[k]
        if rows.dtype != of_kernel.dtype:
            kinds = [dtypes.BY_NUMPY[each.dtype].legacy for each in (rows, of_kernel)]
            raise RuntimeError(f"self and mat2 must have the same dtype, but got {kinds[0]} and {kinds[1]}")
        _flat(result, added)[...] += (rows @ of_kernel).astype(result.dtype, copy=False)
    return result


def _backward(
    grad: Tensor, self: Tensor, weight: Tensor, bias: Tensor, pad: int
) -> tuple[Tensor, Tensor, Tensor]:
    """All three gradients, each accumulated into zeros one kernel element at a time."""
    of_self, of_weight, of_bias = (zeros_like(each).contiguous() for each in (self, weight, bias))
    overlaps = [*_overlaps(self._array.shape[0], weight._array.shape[0], pad)]
    for k, read, added in overlaps:
        _rows(of_self, read).addmm_(_rows(grad, added), weight.select(0, k).t())
    for k, read, added in overlaps:
        part, rows = of_weight.select(0, k), _rows(grad, added)
        part.addmm_(_rows(self, read).t(), rows)
    of_bias.copy_(grad.sum(0).sum(0))
    return of_self, of_weight, of_bias


def _rows(tensor: Tensor, times: slice) -> Tensor:
    part = tensor.narrow(0, times.start, times.stop - times.start)
    count, batch, channels = part._array.shape
    return part.view((count * batch, channels))


@composite(vmap="fallback")
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """torch.conv_tbc of an input (time, batch, in) and a kernel (width, in, out).

    The output has the shape (time - width + 1 + 2 * pad, batch, out).

    Raises:
        RuntimeError: shapes or dtypes do not match.
    """
    result: Tensor = _convolution(input, weight, bias, pad)
    return result
