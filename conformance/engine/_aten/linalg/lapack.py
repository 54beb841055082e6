"""LAPACK's routines, called for each matrix of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.errors import need_fitting, unimplemented
from ..._c10.shapes import broadcast_shapes
from ..registry import Array

_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}  # LAPACK's prefix by NumPy's dtype character


def refuse_without_lapack(kernel: str, array: Array) -> None:
    """Refuse dtypes that LAPACK does not support, such as float16.

    Raises:
        NotImplementedError: with the kernel's name.
    """
    if array.dtype.char not in _LETTERS:
        raise unimplemented(kernel, array.dtype)


def routine(name: str, array: Array) -> Any:
    """LAPACK's routine for the array's precision."""
    from scipy.linalg import lapack  # slow to import

    return getattr(lapack, _LETTERS[array.dtype.char] + name)


def factor(a: Array) -> tuple[Array, Array, Array]:
    """getrf: the LU factors in one matrix, the pivots counted from 1, and ``info``: the first zero pivot, or 0."""
    rank = min(a.shape[-2:])
    factors, pivots = np.zeros(a.shape, a.dtype), np.zeros((*a.shape[:-2], rank), np.int32)
    info = np.zeros(a.shape[:-2], np.int32)
    if a.size:
        refuse_without_lapack("lu_cpu", a)
        getrf = routine("getrf", a)
        for place in np.ndindex(a.shape[:-2]):
            factors[place], result, info[place] = getrf(a[place])
            pivots[place] = result + 1
    return factors, pivots, info


def lu_solve(factors: Array, pivots: Array, b: Array, left: bool = True, adjoint: bool = False) -> Array:
    """Solve A X = B (or X A = B, if not ``left``) with A's LU factors; with ``adjoint``, for the adjoint of A."""
    if not left:
        return transposed(lu_solve(factors, pivots, transposed(b), True, not adjoint))
    batch = broadcast_shapes(b.shape[:-2], factors.shape[:-2])
    factors = np.broadcast_to(factors, (*batch, *factors.shape[-2:]))
    pivots = np.broadcast_to(pivots, (*batch, *pivots.shape[-1:]))
    b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
    result = np.zeros(b.shape, b.dtype)
    if result.size:
        refuse_without_lapack("linalg.lu_solve_cpu", factors)
        getrs = routine("getrs", factors)
        turned = 2 if adjoint and factors.dtype.kind == "c" else int(adjoint)
        for place in np.ndindex(batch):
            result[place], _ = getrs(factors[place], pivots[place] - 1, b[place], trans=turned)
    return result


def transposed(array: Array) -> Array:
    """The adjoint of the matrices: transposed, and conjugated if complex."""
    turned = np.swapaxes(array, -1, -2)
    return np.conjugate(turned) if turned.dtype.kind == "c" else turned


def solve_triangular(a: Array, b: Array, upper: bool, left: bool, unitriangular: bool) -> Array:
    """Solve A X = B (or X A = B, if not ``left``) for a triangular A; zeros on the diagonal lead to infinities."""
    if not left:
        result = solve_triangular(
            np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2), not upper, True, unitriangular
        )
        return np.swapaxes(result, -1, -2)
    batch = broadcast_shapes(b.shape[:-2], a.shape[:-2])
    n = a.shape[-1]
    a = np.broadcast_to(a, (*batch, n, n))
    result = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])), order="C")
    for i in reversed(range(n)) if upper else range(n):
        done = slice(i + 1, n) if upper else slice(0, i)
        result[..., i, :] -= (a[..., i, done, None] * result[..., done, :]).sum(-2)
        if not unitriangular:
            result[..., i, :] /= a[..., i, i, None]
    return result


def cholesky(a: Array, upper: bool) -> tuple[Array, Array]:
    """potrf: the Cholesky factor, and ``info``: the order of the first minor that is not positive, or 0."""
    factors, info = np.zeros(a.shape, a.dtype), np.zeros(a.shape[:-2], np.int32)
    if a.size:
        refuse_without_lapack("cholesky_cpu", a)
        potrf = routine("potrf", a)
        for place in np.ndindex(a.shape[:-2]):
            factors[place], info[place] = potrf(a[place], lower=not upper, clean=True)
        beside = np.isfinite(np.tril(a, -1) + np.triu(a, 1)).all()  # the diagonal may be infinite
        need_fitting(beside and not np.isnan(factors).any(), "cholesky")  # potrf may miss a nan
    return factors, info


def from_cholesky_factor(factors: Array, upper: bool) -> Array:
    """potri: the inverse of a matrix from its Cholesky factor; LAPACK reads only the real part of its diagonal."""
    result = np.zeros(factors.shape, factors.dtype)
    if result.size:
        potri = routine("potri", factors)
        for place in np.ndindex(factors.shape[:-2]):
            half = potri(factors[place], lower=not upper)[0]
            half = np.triu(half) if upper else np.tril(half)
            strict = half - np.diag(np.diag(half))
            result[place] = half + transposed(strict)
    return result
