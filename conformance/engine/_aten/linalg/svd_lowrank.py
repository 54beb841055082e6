"""Factors of low rank, found with random vectors (torch: _lowrank.py; Halko et al., 2009)."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from ..._c10.dtypes import float16, float32, float64
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..random.random import randn
from .decompositions import qr, svd

Factors = tuple[Tensor, Tensor, Tensor]


def _basis(A: Tensor, q: int, niter: int | None) -> Tensor:
    """Orthonormal columns whose span approximates that of A's columns."""
    known = A.is_complex() or A.dtype in (float16, float32, float64)
    result = qr(A.matmul(randn(A._array.shape[-1], q, dtype=A.dtype if known else float32)))[0]
    for _ in range(2 if niter is None else niter):
        result = qr(A.mH.matmul(result))[0]
        result = qr(A.matmul(result))[0]
    return result


@composite(variants="function")
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> Factors:
    """torch.svd_lowrank: approximations of the q largest singular values, and their vectors."""
    if M is not None:
        raise NotImplementedError("torch.svd_lowrank(M=...)")
    q = 6 if q is None else q
    m, n = A._array.shape[-2:]
    if m < n:
        A = A.mH
    Q = _basis(A, q, niter)
    U, S, Vh = svd(Q.mH.matmul(A), False)
    V = Vh.mH
    U = Q.matmul(U)
    return (V, S, U) if m < n else (U, S, V)


@composite(variants="function")
def pca_lowrank(A: Tensor, q: Any = None, center: Any = True, niter: int = 2) -> Factors:
    """torch.pca_lowrank: the principal components of the rows, which are centered first if ``center`` is True."""
    most = min(A._array.shape[-2:])
    if q is None:
        q = min(6, most)
    need_fitting(q <= most and niter >= 0, "torch.pca_lowrank")
    return svd_lowrank(A - A.mean((-2,), keepdim=True) if center else A, q, niter)
