"""Factors of low rank, found with random vectors (torch: _lowrank.py; Halko et al., 2009)."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.dtypes import float16, float32, float64
from ..._c10.operator_facts import composite
from ..random.random import randn
from .decompositions import qr, svd

Factors = tuple[Tensor, Tensor, Tensor]


def _basis(A: Tensor, q: int, niter: int | None, M: Tensor | None) -> Tensor:
    """Orthonormal columns whose span approximates that of A - M's columns."""

    def taken(by: Tensor, adjoint: bool = False) -> Tensor:
        result = (A.mH if adjoint else A).matmul(by)
        return result if M is None else result - (M.mH if adjoint else M).matmul(by)

    known = A.is_complex() or A.dtype in (float16, float32, float64)
    result = qr(taken(randn(A._array.shape[-1], q, dtype=A.dtype if known else float32)))[0]
    for _ in range(2 if niter is None else niter):
        result = qr(taken(result, adjoint=True))[0]
        result = qr(taken(result))[0]
    return result


@composite(variants="function")
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> Factors:
    """torch.svd_lowrank: approximations of the q largest singular values of A - M, and their vectors."""
    q = 6 if q is None else q
    m, n = A._array.shape[-2:]
    if M is not None:
        M = M.broadcast_to(A._array.shape)
    if m < n:
        A, M = A.mH, None if M is None else M.mH
    Q = _basis(A, q, niter, M)
    B = Q.mH.matmul(A)
    if M is not None:
        B = B - Q.mH.matmul(M)
    U, S, Vh = svd(B, False)
    V = Vh.mH
    U = Q.matmul(U)
    return (V, S, U) if m < n else (U, S, V)


@composite(variants="function")
def pca_lowrank(A: Tensor, q: Any = None, center: Any = True, niter: int = 2) -> Factors:
    """torch.pca_lowrank: the principal components of the rows, which are centered first if ``center`` is True.

    Raises:
        ValueError: more components than there can be, or a negative number of iterations.
    """
    most = min(A._array.shape[-2:])
    if q is None:
        q = min(6, most)
    elif not 0 <= q <= most:
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={most}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean((-2,), keepdim=True) if center else A, q, niter)
