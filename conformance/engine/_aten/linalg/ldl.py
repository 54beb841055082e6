"""torch.linalg.ldl_factor, ldl_factor_ex and ldl_solve, for symmetric indefinite matrices (Bunch and Kaufman)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..._autograd.batched_tensor import physical_array
from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import unsupported
from ..._c10 import structseq
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import broadcast_shapes
from ..registry import Array, op
from . import lapack
from .checks import columns_first, floating, same_dtype, square

_UNKNOWN = (
    'false INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp":1642, please '
    "report a bug to PyTorch. {}: Unknown error code: {}."
)


@op(
    "NotImplemented",
    name="linalg_ldl_factor_ex",
    outputs="LD pivots info",
    returns=structseq.linalg_ldl_factor_ex,
    vmap="front",
    self=unsupported("linalg_ldl_factor_ex"),
)
def _factor(self: Array, hermitian: bool = False) -> tuple[Array, Array, Array]:
    name = "torch.linalg.ldl_factor_ex"
    square(name, self)
    floating(name, self, False)
    if self.size:
        lapack.refuse_without_lapack("ldl_factor_kernel_cpu", self)
    factors, pivots = np.zeros_like(self), np.zeros(self.shape[:-1], np.int32)
    info = np.zeros(self.shape[:-2], np.int32)
    if self.size:
        adjoint = hermitian and self.dtype.kind == "c"
        routine = lapack.routine("hetrf" if adjoint else "sytrf", self)
        for place in np.ndindex(self.shape[:-2]):
            result, pivots[place], info[place] = routine(self[place], lower=1)
            factors[place] = np.tril(result)
    return columns_first(factors), pivots, info


def _succeeded(name: str, info: Tensor) -> None:
    """Raise an error if the factor D is singular; torch has no message of its own for LDL."""
    numbers = physical_array(info)
    if numbers.any():
        first = int(numbers[numbers != 0].flat[0])
        raise RuntimeError(_UNKNOWN.format(name, first))


@composite(vmap="decompose", out=None)
def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """torch.linalg.ldl_factor_ex: L and D in one matrix, the pivots, and where D is singular.

    Raises:
        RuntimeError: A is not square, or neither floating point nor complex; with ``check_errors``, D is singular.
    """
    result = _factor(A, hermitian)
    if check_errors:
        _succeeded("torch.linalg.ldl_factor_ex", result[2])
    return result


@composite(vmap="decompose", out=None)
def ldl_factor(A: Tensor, *, hermitian: bool = False) -> Any:
    """torch.linalg.ldl_factor: L and D in one matrix, and the pivots.

    Raises:
        RuntimeError: A is not square, or neither floating point nor complex; D is singular.
    """
    result = _factor(A, hermitian)
    _succeeded("torch.linalg.ldl_factor", result[2])
    return structseq.linalg_ldl_factor(result[:2])


def _check(LD: Array, pivots: Array, B: Array) -> None:
    name = "torch.linalg.ldl_solve"
    square(name, LD)
    floating(name, LD, False)
    fits = B.ndim >= 2 and B.shape[-2] == LD.shape[-1] and LD.shape[:-1] == pivots.shape
    need_fitting(fits and pivots.dtype.kind in "iu", name)
    same_dtype(LD, B)


@op(
    "NotImplemented",
    name="linalg_ldl_solve",
    tensors="pivots",
    vmap="fallback",
    inputs={name: unsupported("linalg_ldl_solve") for name in ("LD", "B")},
)
def _solve(LD: Array, pivots: Array, B: Array, hermitian: bool = False) -> Array:
    _check(LD, pivots, B)
    batch = broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    n = LD.shape[-1]
    LD = np.broadcast_to(LD, (*batch, n, n))
    result = np.array(np.broadcast_to(B, (*batch, *B.shape[-2:])))
    lapack.refuse_without_lapack("ldl_solve_kernel_cpu", LD)
    need_fitting((np.abs(pivots) <= n).all(), "torch.linalg.ldl_solve")
    pivots = np.broadcast_to(pivots, (*batch, n))
    adjoint: Callable[[Array], Array] = np.conj if hermitian else np.asarray
    for place in np.ndindex(batch):
        _solve_one(LD[place], [*_blocks(pivots[place])], result[place], adjoint)
    return columns_first(result)


def _blocks(pivots: Array) -> Iterator[tuple[slice, int]]:
    """The 1x1 and 2x2 blocks of D, and for each the row that was exchanged with its last row."""
    k = 0
    while k < len(pivots):
        size = 1 if pivots[k] > 0 else 2
        yield slice(k, k + size), abs(int(pivots[k + size - 1])) - 1
        k += size


def _solve_one(
    factors: Array, blocks: list[tuple[slice, int]], b: Array, adjoint: Callable[[Array], Array]
) -> None:
    """Solve L D Lᴴ x = b in place of b, with a permutation in front of each column of L."""
    for at, row in blocks:
        last = at.stop - 1
        b[[last, row]] = b[[row, last]]
        b[at.stop :] -= factors[at.stop :, at] @ b[at]
        below = np.tril(factors[at, at], -1)
        diagonal = np.diag(np.diag(factors[at, at]))
        if adjoint is np.conj:
            diagonal = diagonal.real
        b[at] = np.linalg.solve(diagonal + below + adjoint(below).T, b[at])
    for at, row in reversed(blocks):
        last = at.stop - 1
        b[at] -= adjoint(factors[at.stop :, at]).T @ b[at.stop :]
        b[[last, row]] = b[[row, last]]


@composite(vmap="fallback", out=True)
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """torch.linalg.ldl_solve: X in A X = B, (*, n, k), from A's factors.

    Raises:
        RuntimeError: shapes or dtypes that do not fit; pivots beyond the matrix.
    """
    return _solve(LD, pivots, B, hermitian)
