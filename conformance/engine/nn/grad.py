"""torch.nn.grad: the gradients of convolutions as functions (torch: nn/grad.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.nn.convolution import convolution_backward
from .._autograd.tensor import Tensor
from .._nn.convolution import check_backward
from .modules._sizes import each


def _of_input(spatial: int) -> Callable[..., Tensor]:
    def gradient(
        input_size: Any, weight: Tensor, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        given = grad_output.new_empty(1).expand(input_size)
        return _backward(spatial, grad_output, given, weight, stride, padding, dilation, groups, 0)

    gradient.__name__ = gradient.__qualname__ = f"conv{spatial}d_input"
    gradient.__doc__ = f"The gradient of conv{spatial}d with respect to its input, whose size is given."
    return gradient


def _of_weight(spatial: int) -> Callable[..., Tensor]:
    def gradient(
        input: Tensor, weight_size: Any, grad_output: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        given = grad_output.new_empty(1).expand(weight_size)
        return _backward(spatial, grad_output, input, given, stride, padding, dilation, groups, 1)

    gradient.__name__ = gradient.__qualname__ = f"conv{spatial}d_weight"
    gradient.__doc__ = f"The gradient of conv{spatial}d with respect to its weight, whose size is given."
    return gradient


def _backward(
    spatial: int, grad_output: Tensor, input: Tensor, weight: Tensor, stride: Any, padding: Any, dilation: Any,
    groups: int, which: int,
) -> Tensor:  # fmt: skip
    settings = (
        each(stride, spatial),
        each(padding, spatial),
        each(dilation, spatial),
        False,
        each(0, spatial),
        groups,
    )
    check_backward(grad_output, input, weight, *settings[:3], groups)
    wanted = tuple(number == which for number in range(3))
    found: Tensor = convolution_backward(grad_output, input, weight, (0,), *settings, wanted)[which]
    return found


conv1d_input, conv2d_input, conv3d_input = map(_of_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(_of_weight, (1, 2, 3))
