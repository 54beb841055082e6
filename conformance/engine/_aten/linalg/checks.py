"""Checks of the arguments of torch.linalg functions, and LinAlgError."""

from __future__ import annotations

import numpy as np

from ..._autograd.batched_tensor import physical_array
from ..._autograd.tensor import Tensor
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.shapes import empty_in_steps
from ..registry import Array


class LinAlgError(RuntimeError):
    """torch.linalg.LinAlgError: a factorization or a solution does not exist."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"


def matrix(name: str, array: Tensor | Array, text: str = "A") -> None:
    """Refuse arrays with fewer than two dimensions.

    Raises:
        RuntimeError: with torch's message.
    """
    if array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {text} must have at least 2 dimensions.")


def floating(name: str, array: Array, low_precision: bool = True) -> None:
    """Refuse integers; and half precision, if torch's function itself checks for it, not its kernel.

    Raises:
        RuntimeError: of integers, with torch's message.
    """
    if array.dtype.kind not in "fcV":
        kind = dtypes.BY_NUMPY[array.dtype].legacy
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {kind}")
    need_fitting(not (low_precision and dtypes.is_half(array.dtype)), name)


def square(name: str, given: Tensor | Array, text: str = "A") -> None:
    """Refuse matrices, or batches of matrices, that are not square.

    Raises:
        RuntimeError: with torch's message.
    """
    matrix(name, given, text)
    rows, columns = given.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}: {text} must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


def fit_equation(a: Array, b: Array) -> bool:
    """Whether A is square, or a batch of square matrices, and B has as many rows."""
    return a.shape[-2:] == 2 * b.shape[-2:-1]


def succeeded(name: str, given: Tensor | Array, text: str, error: type[RuntimeError] = LinAlgError) -> None:
    """Raise an error if LAPACK's ``info`` is not 0.

    Raises:
        LinAlgError: for the first such matrix of a batch; ``info`` replaces ``{}`` in the text.
    """
    info = physical_array(given) if isinstance(given, Tensor) else given
    if not info.any():
        return
    first = int(np.flatnonzero(info)[0])
    where = f" (Batch element {first}):" if info.ndim else ""
    raise error(f"{name}:{where} {text.format(int(info.flat[first]))}")


def columns_first(array: Array) -> Array:
    """A copy in column-major order, as LAPACK returns matrices."""
    *batch, m, n = array.shape
    if m > 1 and n > 1 and array.size:
        return np.ascontiguousarray(np.swapaxes(array, -1, -2)).swapaxes(-1, -2)
    result = empty_in_steps(array.shape, array.dtype, (*_outward(batch, max(m, 1) * max(n, 1)), 1, max(m, 1)))
    result[...] = array
    return result


def _outward(batch: list[int], extent: int) -> list[int]:
    """The strides of the batch dimensions, if each matrix has ``extent`` elements."""
    result: list[int] = []
    for n in reversed(batch):
        result.insert(0, extent)
        extent *= max(n, 1)
    return result
