"""Pooling to a given output size (torch: native/AdaptiveAveragePooling.cpp, AdaptiveMaxPooling2d.cpp)."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.errors import need_fitting
from ..._c10.layout import following_image
from ..registry import Array, op
from .pool_windows import (
    Ints,
    adaptive_lengths,
    adaptive_windows,
    at_indices,
    gathered,
    planes,
    written_zeros,
)
from .upsample import named

PUBLIC = ()


def _divided(sums: Array, sizes: Ints, out: Ints) -> Array:
    """Divide each sum by the length of its window, along one dimension after the other."""
    for axis, (n, o) in enumerate(zip(sizes, out, strict=True)):
        lengths = adaptive_lengths(n, o)[1].astype(sums.dtype)
        sums = sums / lengths.reshape(-1, *(1,) * (len(sizes) - axis - 1))
    return sums


def _adaptive_mean_rows(spatial: int) -> Any:
    sizes = [f"grad_output_sym_argsize_minus_{-axis}" for axis in range(-spatial, 0)]

    def spread(grad_output: Array, self: Array, *_: int) -> Array:
        _check_grad(grad_output)
        inner, out = self.shape[-spatial:], grad_output.shape[-spatial:]
        shares = planes(_divided(grad_output, inner, out), spatial)
        result = adaptive_windows(inner, out).spread(shares).reshape(self.shape)
        return following_image(spatial, result, self)

    def again(grad: Tensor, *sizes: int) -> Tensor:
        return forward(grad, sizes)

    backward = op(
        f"AdaptiveAvgPool{spatial}DBackwardBackward0",
        name=f"_adaptive_avg_pool{spatial}d_backward",
        grad_output=named(again, "grad", *sizes),
        self=written_zeros,
    )(named(spread, "grad_output", "self", *sizes))

    @op(
        f"AdaptiveAvgPool{spatial}DBackward0",
        name=f"_adaptive_avg_pool{spatial}d",
        no_complex=f"adaptive_avg_pool{spatial}d{'_cpu' * (spatial == 3)}",
        complex_if="empty" if spatial == 2 else None,
        jvp="auto_linear",
        vmap="folded",
        self=lambda grad, self: backward(grad, self, *grad._array.shape[-spatial:]),
    )
    def forward(self: Array, output_size: Ints) -> Array:
        inner = self.shape[-spatial:]
        sums = adaptive_windows(inner, tuple(output_size)).sums(planes(self, spatial))
        result = _divided(sums.reshape(*self.shape[:-spatial], *output_size), inner, output_size)
        return following_image(spatial, result.astype(self.dtype, copy=False), self)

    return forward


def _check_grad(grad_output: Array) -> None:
    """Only the batch dimension of an adaptive pool's gradient may have length 0."""
    need_fitting(0 not in grad_output.shape[1:], "adaptive_pool_backward")


def _adaptive_max_rows(spatial: int) -> Any:
    @op(
        f"AdaptiveMaxPool{spatial}DBackwardBackward0",
        name=f"adaptive_max_pool{spatial}d_backward",
        tensors="indices",
        grad_output=lambda grad, indices: gathered(grad, indices, spatial),
        self=written_zeros,
    )
    def backward(grad_output: Array, self: Array, indices: Array) -> Array:
        _check_grad(grad_output)
        return following_image(spatial, at_indices(grad_output, indices, self.shape, spatial), self)

    @op(
        f"AdaptiveMaxPool{spatial}DBackward0",
        name=f"adaptive_max_pool{spatial}d",
        no_complex=f"adaptive_max_pool{spatial}d{'_cpu' * (spatial == 3)}",
        autocast="fp32" if spatial == 3 else None,
        outputs="result0 result1",
        vmap="folded",
        self=lambda grad, self, result1: backward(grad, self, result1),
    )
    def forward(self: Array, output_size: Ints) -> Any:
        result = adaptive_windows(self.shape[-spatial:], tuple(output_size)).largest(planes(self, spatial))
        shape = (*self.shape[:-spatial], *output_size)
        return [following_image(spatial, each.reshape(shape), self) for each in result]

    return forward


ADAPTIVE_MEAN = {n: _adaptive_mean_rows(n) for n in (2, 3)}
ADAPTIVE_MAX = {n: _adaptive_max_rows(n) for n in (2, 3)}
