"""_fft_c2c, _fft_r2c and _fft_c2r, the operators on which torch.fft is built (torch: SpectralOps.cpp)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.errors import need_fitting
from ..._c10.shapes import strides
from ..inplace import run_inplace
from ..registry import Array, op
from ..scalar_operands import times
from ..shape.slice_select import slice_

Dims = tuple[int, ...]


def _transform(name: str, array: Array, dim: Dims, **arguments: Any) -> Array:
    """SciPy's transform without scaling; like torch's, it has the precision of its input."""
    need_fitting(array.size, "torch.fft")
    import scipy.fft  # slow to import

    result: Array = getattr(scipy.fft, name)(array, axes=dim, **arguments)
    return result


def _scaled(array: Array, normalization: int, count: int) -> Array:
    """Scale by the normalization mode: divided by ``count`` (2), by its square root (1), or not at all (0)."""
    if normalization == 0:
        return array
    scale = 1 / (math.sqrt(count) if normalization == 1 else count)
    return array * array.real.dtype.type(scale)


def _laid_out(found: Array, self: Array, dim: Dims) -> Array:
    """The result with the strides of torch's MKL call: the transformed dimensions are innermost, ordered as in dim."""
    steps = strides(self)
    batch = sorted((i for i in range(found.ndim) if i not in dim), key=lambda i: -steps[i])
    order = (*batch, *dim)
    memory = np.ascontiguousarray(found.transpose(order))
    return memory.transpose(np.argsort(order))


def _in_stride_order(self: Array, dim: Dims) -> Dims:
    steps = strides(self)
    return tuple(sorted(dim, key=lambda i: -steps[i]))


def _count(shape: tuple[int, ...], dim: Dims) -> int:
    return math.prod(shape[i] for i in dim)


def _c2c(self: Array, dim: Dims, normalization: int, forward: bool) -> Array:
    if not dim:
        return self.copy(order="K")
    result = _transform("fftn", self, dim) if forward else _transform("ifftn", self, dim, norm="forward")
    result = _scaled(result, normalization, _count(self.shape, dim))
    return _laid_out(result, self, _in_stride_order(self, dim))


@op(
    "FftC2CBackward0",
    name="_fft_c2c",
    complex="as_written",
    jvp="auto_linear",
    vmap="along",
    self=lambda grad, dim, normalization, forward: fft_c2c(grad, dim, normalization, not forward),
)
def fft_c2c(self: Array, dim: Dims, normalization: int, forward: bool) -> Array:
    """_fft_c2c: complex input and output."""
    return _c2c(self, dim, normalization, forward)


def _r2c_backward(grad: Tensor, self: Tensor, dim: Dims, normalization: int, onesided: bool) -> Tensor:
    """torch's fft_r2c_backward; a one-sided gradient is padded with zeros."""
    last = dim[-1]
    size, given = self._array.shape[last], grad._array.shape[last]
    if onesided and size > given:
        shape = tuple(size if i == last else n for i, n in enumerate(grad._array.shape))
        whole = grad.new_zeros(shape)
        slice_(whole, last, 0, given).copy_(grad)
        grad = whole
    return fft_c2c(grad, dim, normalization, False).real


def _with_conjugates(half: Array, axis: int, size: int) -> Array:
    """The full spectrum from its first half along ``axis``: the second half is the mirrored conjugate."""
    mirrored = np.take(half, np.arange(size - half.shape[axis], 0, -1), axis)
    return np.concatenate([half, mirrored.conj()], axis)


@op(
    "FftR2CBackward0",
    name="_fft_r2c",
    complex="as_written",
    jvp="auto_linear",
    vmap="along",
    self=_r2c_backward,
)
def fft_r2c(self: Array, dim: Dims, normalization: int, onesided: bool) -> Array:
    """_fft_r2c: real input, complex output; ``onesided`` returns only the first half along the last dimension."""
    result = _transform("rfftn", self, dim)
    if not onesided:
        result = _with_conjugates(result, dim[-1], self.shape[dim[-1]])
    order = (*_in_stride_order(self, dim[:-1]), dim[-1])
    return _laid_out(_scaled(result, normalization, _count(self.shape, dim)), self, order)


def _c2r_backward(grad: Tensor, dim: Dims, normalization: int) -> Tensor:
    """torch's fft_c2r_backward: elements that occur twice in the full spectrum are doubled."""
    result = fft_r2c(grad, dim, normalization, True)
    last = dim[-1]
    doubled = grad._array.shape[last] - result._array.shape[last]
    if doubled > 0:
        run_inplace(times.row, [result.narrow(last, 1, doubled), 2])  # type: ignore[attr-defined]
    return result


@op(
    "FftC2RBackward0",
    name="_fft_c2r",
    complex="as_written",
    jvp="auto_linear",
    vmap="along",
    self=_c2r_backward,
)
def fft_c2r(self: Array, dim: Dims, normalization: int, last_dim_size: int) -> Array:
    """_fft_c2r: one-sided complex input, real output."""
    if len(dim) > 1:
        self = _c2c(self, dim[:-1], normalization, False)
    result = _transform("irfftn", self, dim[-1:], s=[last_dim_size], norm="forward")
    return _laid_out(_scaled(result, normalization, last_dim_size), self, dim[-1:])
