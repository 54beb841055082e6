"""Fractional max pooling: the windows' positions are random (torch: native/FractionalMaxPool2d.cpp, 3d)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._c10.errors import need_fitting
from ..._c10.shapes import refuse_negative
from ..kernels import need_floats
from ..registry import Array, op
from .pool_windows import Ints, Windows, at_indices, gathered, written_zeros


def _starts(sample: float, size: int, out: int, kernel: int) -> Array:
    """The windows' start indices along one dimension, for a sample from [0, 1)."""
    alpha = (size - kernel) / (out - 1) if out > 1 else 0.0
    result = (((np.arange(out) + sample) * alpha).astype(np.int64)) - int(sample * alpha)
    result[-1] = size - kernel
    return result


def _check(name: str, self: Array, kernel: Ints, out: Ints, samples: Array) -> None:
    spatial = len(out)
    first = self.ndim - spatial - 1
    fits = (
        first in (0, 1) and 0 not in self.shape[first:] and samples.dtype == self.dtype and samples.ndim == 3
    )
    fits = fits and samples.shape[0] >= (self.shape[0] if first else 1)
    fits = fits and samples.shape[1:] == (self.shape[first], spatial)
    sizes = zip(self.shape[-spatial:], kernel, out, strict=True)
    need_fitting(fits and all(n + k - 1 <= size - (spatial == 3) for size, k, n in sizes), name)
    refuse_negative((*self.shape[:-spatial], *out))


def _largest(self: Array, kernel: Ints, out: Ints, samples: Array) -> tuple[Array, Array]:
    spatial = len(out)
    sizes = self.shape[-spatial:]
    shape = (*self.shape[:-spatial], *out)
    if 0 in shape:
        return np.zeros(shape, self.dtype), np.zeros(shape, np.int64)
    need_floats(f"fractional_max_pool{spatial}d_out_frame", self)
    planes = self.reshape(-1, *sizes)
    drawn = samples.reshape(-1, spatial)[:, :: -1 if spatial == 2 else 1]
    result = np.full((len(planes), math.prod(out)), -np.inf, self.dtype)
    places = np.empty(result.shape, np.int64)
    reach = all(k > 0 for k in kernel)
    offsets = np.meshgrid(*(np.arange(k if reach else 1) for k in kernel), indexing="ij")
    for plane, (values, sample) in enumerate(zip(planes, drawn[: len(planes)].tolist(), strict=True)):
        each = [_starts(s, n, o, k) for s, n, o, k in zip(sample, sizes, out, kernel, strict=True)]
        starts = np.meshgrid(*each, indexing="ij")
        flat: Any = 0
        for start, offset, n in zip(starts, offsets, sizes, strict=True):
            flat = flat * n + start.ravel()[:, None] + offset.ravel()
        if not reach:  # the value stays -inf, and the index is that of the window's start
            places[plane] = flat[:, 0]
            continue
        covered = Windows(values.size, flat.T, flat.T, True)
        result[plane], places[plane] = covered.largest(values.ravel()[None])
    return result.reshape(shape), places.reshape(shape)


def _rows(spatial: int) -> Any:
    name = f"fractional_max_pool{spatial}d"

    @op(
        f"FractionalMaxPool{spatial}DBackwardBackward0",
        name=f"{name}_backward",
        vmap="fallback",
        tensors="indices",
        grad_output=lambda grad, indices: gathered(grad, indices, spatial),
        self=written_zeros,
    )
    def backward(
        grad_output: Array, self: Array, kernel_size: Ints, output_size: Ints, indices: Array
    ) -> Array:
        return at_indices(grad_output, indices, self.shape, spatial)

    @op(
        f"FractionalMaxPool{spatial}DBackward0",
        name=name,
        tensors="random_samples",
        outputs="result0 result1",
        autocast="fp32",
        vmap="fallback",
        self=lambda grad, self, kernel_size, output_size, result1: backward(
            grad, self, kernel_size, output_size, result1
        ),
    )
    def forward(self: Array, kernel_size: Ints, output_size: Ints, random_samples: Array) -> Any:
        _check(name, self, kernel_size, output_size, random_samples)
        return _largest(self, kernel_size, output_size, random_samples)

    return forward


FRACTIONAL = {n: _rows(n) for n in (2, 3)}
