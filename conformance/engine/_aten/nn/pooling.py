"""max_pool, avg_pool and max_unpool (torch: native/Pooling.cpp)."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..._c10.errors import need_fitting
from ..._c10.layout import channels_last, following, following_image, suggest_memory_format
from ..._c10.operator_facts import without_defaults
from ..kernels import half_up, need_floats
from ..registry import Array, op
from .pool_windows import (
    Ints,
    Windows,
    at_indices,
    complete,
    gathered,
    output_sizes,
    planes,
    windows,
    written_zeros,
)

PUBLIC = ()

# The largest --------------------------------------------------------------------------------------


def _largest(self: Array, settings: list[Ints], ceil_mode: bool) -> Any:
    spatial = len(settings[0])
    need_fitting(spatial == 2 or suggest_memory_format(self) is not channels_last, "max_pool3d")
    sizes = self.shape[-spatial:]
    out = output_sizes(sizes, settings, ceil_mode)
    result = windows(sizes, out, *settings).largest(planes(self, spatial))
    return [following(each.reshape(*self.shape[:-spatial], *out), self) for each in result]


def _max_rows(spatial: int) -> Any:
    @op(
        f"MaxPool{spatial}DWithIndicesBackwardBackward0",
        name=f"max_pool{spatial}d_with_indices_backward",
        tensors="indices",
        grad_output=lambda grad, indices: gathered(grad, indices, spatial),
        self=written_zeros,
    )
    def backward(
        grad_output: Array, self: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints,
        ceil_mode: bool, indices: Array,
    ) -> Array:  # fmt: skip
        return following(at_indices(grad_output, indices, self.shape, spatial), self)

    @op(
        f"MaxPool{spatial}DWithIndicesBackward0",
        name=f"max_pool{spatial}d_with_indices",
        no_complex=f"max_pool{spatial}d",
        outputs="result0 result1",
        schema_args=lambda *args: (
            without_defaults(([], [0] * spatial, [1] * spatial, False), args),
            {},
        ),
        self=lambda grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1: backward(
            grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1
        ),
    )
    def forward(
        self: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool
    ) -> Any:
        return _largest(self, complete(spatial, kernel_size, stride, padding, dilation), ceil_mode)

    return forward


MAX = {n: _max_rows(n) for n in (2, 3)}


# The mean -----------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=32)
def _divisors(sizes: Ints, out: Ints, kernel: Ints, stride: Ints, padding: Ints, with_padding: bool) -> Array:
    """The divisor of each window."""
    total: Any = np.ones(())
    for size, n, k, s, p in zip(sizes, out, kernel, stride, padding, strict=True):
        start = np.arange(n) * s - p
        end = np.minimum(start + k, size + p)
        count = end - start if with_padding else np.minimum(end, size) - np.maximum(start, 0)
        total = np.expand_dims(total, -1) * count
    return total.ravel()


def _shares(
    self: Array, settings: list[Ints], ceil_mode: bool, with_padding: bool, divisor: int | None
) -> tuple[Ints, Windows, Any]:
    """The number of windows along each dimension, the windows, and the divisor of each."""
    sizes = self.shape[-len(settings[0]) :]
    out = output_sizes(sizes, settings, ceil_mode)
    return (
        out,
        windows(sizes, out, *settings),
        divisor or _divisors(sizes, out, *settings[:3], with_padding),
    )


def _mean_rows(spatial: int) -> Any:
    @op(
        f"AvgPool{spatial}DBackwardBackward0",
        name=f"avg_pool{spatial}d_backward",
        grad_output=lambda grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
            forward(grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        ),
        self=written_zeros,
    )
    def backward(
        grad_output: Array, self: Array, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
        count_include_pad: bool, divisor_override: int | None,
    ) -> Array:  # fmt: skip
        settings = complete(spatial, kernel_size, stride, padding)
        _, covered, share = _shares(self, settings, ceil_mode, count_include_pad, divisor_override)
        shares = (planes(half_up(grad_output), spatial) / share).astype(self.dtype, copy=False)
        return following_image(spatial, covered.spread(shares).reshape(self.shape), self)

    @op(
        f"AvgPool{spatial}DBackward0",
        name=f"avg_pool{spatial}d",
        jvp="auto_linear",
        schema_args=lambda *args: (without_defaults(([], [0] * spatial, False, True, None), args), {}),
        vmap="folded",
        self=lambda grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
            backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        ),
    )
    def forward(
        self: Array, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool, count_include_pad: bool,
        divisor_override: int | None,
    ) -> Array:  # fmt: skip
        settings = complete(spatial, kernel_size, stride, padding)
        out, covered, share = _shares(self, settings, ceil_mode, count_include_pad, divisor_override)
        sums = covered.sums(planes(self, spatial))
        result = (sums / share).astype(self.dtype, copy=False).reshape(*self.shape[:-spatial], *out)
        return following_image(spatial, result, self)

    return forward


MEAN = {n: _mean_rows(n) for n in (2, 3)}


# max_unpool ---------------------------------------------------------------------------------------


def _check_unpool(self: Array, indices: Array, output_size: Ints, spatial: int) -> None:
    fits = len(output_size) == spatial and self.ndim in (spatial + 1, spatial + 2)
    fits = fits and indices.dtype == np.int64 and indices.shape == self.shape and 0 not in self.shape[1:]
    need_floats(f"max_unpool{spatial}d", self)
    need_fitting(fits, f"max_unpool{spatial}d")


def _unpool_rows(spatial: int) -> Any:
    @op(
        f"MaxUnpool{spatial}DBackward0",
        name=f"max_unpool{spatial}d",
        tensors="indices",
        jvp="auto_linear",
        autocast="fp32",
        vmap="fallback",
        self=lambda grad, indices: gathered(grad, indices, spatial),
    )
    def forward(self: Array, indices: Array, output_size: Ints) -> Array:
        _check_unpool(self, indices, output_size, spatial)
        need_fitting(not np.any(indices < 0), f"max_unpool{spatial}d")
        result = np.zeros((*self.shape[:-spatial], math.prod(output_size)), self.dtype)
        flat = (*self.shape[:-spatial], math.prod(self.shape[-spatial:]))
        np.put_along_axis(result, indices.reshape(flat), self.reshape(flat), -1)
        return following_image(spatial, result.reshape(*self.shape[:-spatial], *output_size), self)

    return forward


UNPOOL = {n: _unpool_rows(n) for n in (2, 3)}
