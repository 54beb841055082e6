"""select, slice, narrow and diagonal, which are views of a part of a tensor, and their backward operators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..._autograd.storage_impl import buffer, offset, storage
from ..._autograd.tensor import Tensor
from ..._c10.operator_facts import composite
from ..._c10.shapes import wrap_dim
from ..registry import Array, op


@op(
    "SelectBackward0",
    view="default",
    overload="int",
    complex="holomorphic",
    vmap="along",
    self=lambda grad, self_sym_sizes, dim, index: select_backward(grad, self_sym_sizes, dim, index),
)
def select(self: Array, dim: Any, index: int) -> Array:
    """One entry along a dimension."""
    if self.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = wrap_dim(dim, self.ndim)
    n = self.shape[axis]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {axis}"
        )
    return self[(slice(None),) * axis + (index, ...)]


@op(
    "SelectBackwardBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    variants="",
    grad_=lambda grad, dim, index: grad.select(dim, index),
)
def select_backward(grad_: Array, sizes: Any, dim: Any, index: Any) -> Array:
    """The gradient of select: zeros except at the selected entry."""
    result = np.zeros(sizes, grad_.dtype)
    result[(slice(None),) * wrap_dim(dim, len(sizes)) + (index,)] = grad_
    return result


_LAST = 2**63 - 1  # torch's default for ``end``


@op(
    "SliceBackward0",
    view="default",
    overload="Tensor",
    complex="holomorphic",
    vmap="along",
    variants="",
    self=lambda grad, self_sym_sizes, dim, start, end, step: slice_backward(
        grad, self_sym_sizes, dim, 0 if start is None else start, _LAST if end is None else end, step
    ),
)
def slice_(self: Array, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Array:
    """Entries start to end along a dimension."""
    if self.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    axis = wrap_dim(dim, self.ndim)
    part = self[(slice(None),) * axis + (slice(start, end, step),)]
    if part.size or not self.size:
        return part
    first = slice(start, end, step).indices(self.shape[axis])[0]  # numpy loses the offset of an empty slice
    memory = storage(self)
    begin = min(offset(self) + first * self.strides[axis], memory.nbytes)  # numpy has no offset past the end
    return np.ndarray(part.shape, part.dtype, buffer(memory), begin, part.strides)


@op(
    "SliceBackwardBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    variants="",
    grad_=lambda grad, dim, start, end, step: slice_(grad, dim, start, end, step),
)
def slice_backward(grad_: Array, sizes: Any, dim: Any, start: Any, end: Any, step: Any) -> Array:
    """The gradient of slice: zeros except in the slice."""
    result = np.zeros(sizes, grad_.dtype)
    result[(slice(None),) * wrap_dim(dim, len(sizes)) + (slice(start, end, step),)] = grad_
    return result


@composite(vmap="decompose")
def narrow(input: Tensor, dim: Any, start: Any, length: Any) -> Tensor:
    """``length`` entries along a dimension."""
    if input._array.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor):
        if start._array.ndim or start._array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = start.item()
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    n = input._array.shape[wrap_dim(dim, input._array.ndim)]
    first = narrow_start(n, start, length)
    return slice_(input, dim, first, first + length, 1)


def narrow_start(n: int, start: Any, length: Any) -> Any:
    """Where a narrowed part starts, counted from the front.

    Raises:
        IndexError, RuntimeError: the part is not within the dimension.
    """
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    first = start + n if start < 0 else start
    if first + length > n:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({n}).")
    return first


@op(
    "DiagonalBackward0",
    view="default",
    complex="holomorphic",
    vmap="along",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: diagonal_backward(
        grad, self_sym_sizes, offset, dim1, dim2
    ),
)
def diagonal(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """The diagonal of two dimensions, as the last one."""
    first, second = wrap_dim(dim1, self.ndim), wrap_dim(dim2, self.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    result = np.diagonal(self, offset, first, second)
    if not result.shape[-1]:  # begins where the tensor does
        return as_strided(self, result.shape, result.strides)
    result.flags.writeable = self.flags.writeable
    return result


@op(
    "DiagonalBackwardBackward0",
    complex="holomorphic",
    jvp="auto_linear",
    variants="",
    grad_=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2),
)
def diagonal_backward(grad_: Array, sizes: Any, offset: int, dim1: int, dim2: int) -> Array:
    """The gradient of diagonal: zeros except on the diagonal."""
    result = np.zeros(sizes, grad_.dtype)
    found = np.diagonal(result, offset, dim1, dim2)
    found.flags.writeable = True
    found[...] = grad_
    return result
