"""torch.linalg.cholesky, qr, eigh, eigvalsh, svd and svdvals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10 import structseq
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import Out, composite
from ..blas.matmul import matmul
from ..registry import Array, op
from ..scalar_operands import times, times_
from ..shape.cat_stack import cat
from . import lapack
from .checks import columns_first, floating, matrix, square, succeeded
from .solve import solve_triangular

# Cholesky -----------------------------------------------------------------------------------------


def cholesky_backward(grad: Tensor, upper: bool, factor: Tensor) -> Tensor:
    """torch's cholesky_backward; the gradient is symmetric."""
    lower, of_lower = (factor.mH, grad.mH) if upper else (factor, grad)
    result = lower.mH.matmul(of_lower).tril()
    result = times(result + result.tril(-1).mH, 0.5)
    result = solve_triangular(lower.mH, result, upper=True, left=True)
    return solve_triangular(lower, result, upper=False, left=False)


@op(
    "LinalgCholeskyExBackward0",
    name="linalg_cholesky_ex",
    outputs="L info",
    returns=structseq.linalg_cholesky_ex,
    complex="as_written",
    autocast="fp32",
    vmap="front",
    self=lambda grad, L, upper: cholesky_backward(grad, upper, L),
)
def _cholesky_ex(self: Array, upper: bool) -> tuple[Array, Array]:
    square("linalg.cholesky", self)
    floating("linalg.cholesky", self, False)
    factors, info = lapack.cholesky(self, upper)
    return columns_first(factors), info


MINOR = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of "
    "order {} is not "
    "positive-definite)."
)


@composite(vmap="decompose", autocast="fp32", out=Out(operator="linalg_cholesky_ex"))
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """torch.linalg.cholesky."""
    result = _cholesky_ex(A, upper)
    succeeded("linalg.cholesky", result[1], MINOR)
    return result[0]


@composite(vmap="decompose", out=None)
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """torch.linalg.cholesky_ex: the factor, and ``info``, which is not 0 where a matrix is not positive definite."""
    result = _cholesky_ex(A, upper)
    if check_errors:
        succeeded("linalg.cholesky_ex", result[1], MINOR)
    return result


# QR -----------------------------------------------------------------------------------------------


def _halve_diagonal(tensor: Tensor, part: str) -> Tensor:
    times_(getattr(tensor.diagonal(0, -2, -1), part), 0.5)
    return tensor


def _qr_backward(grads: Any, Q: Tensor, R: Tensor, mode: str) -> Tensor:
    of_q, of_r = grads
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to differentiate through linalg.qr."
        )
    m, n = Q._array.shape[-2], R._array.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )
    if of_q is not None and of_r is not None:
        of_both = Q.mH.matmul(of_q)  # first: see Note [Right operands first]
        result = of_r.matmul(R.mH) - of_both
    else:
        result = -Q.mH.matmul(of_q) if of_r is None else of_r.matmul(R.mH)
    if m >= n:
        upper = result.triu()
        result = Q.matmul(_halve_diagonal(upper + upper.mH, "real"))
        if of_q is not None:
            result = result + of_q
        return solve_triangular(R.mH, result, upper=False, left=False)
    result = -result
    result = (result - result.mH).tril()
    if R._array.dtype.kind == "c":
        result = _halve_diagonal(result, "imag")
    result = Q.matmul(result)
    result = solve_triangular(R.narrow(-1, 0, m).mH, result, upper=False, left=False)
    zeros = make(np.zeros((*R._array.shape[:-1], n - m), R._array.dtype))
    result = cat([result, zeros], -1)
    return result if of_r is None else result + Q.matmul(of_r)


@op(
    "LinalgQrBackward0",
    name="linalg_qr",
    outputs="Q R",
    returns=structseq.linalg_qr,
    complex="as_written",
    autocast="fp32",
    vmap="front",
    A=_qr_backward,
)
def _qr(A: Array, mode: str = "reduced") -> tuple[Array, Array]:
    matrix("linalg.qr", A)
    floating("linalg.qr", A, False)
    lapack.refuse_without_lapack("geqrf_cpu", A)
    need_fitting(mode in ("reduced", "complete", "r"), "linalg.qr")
    if not A.size:
        return _empty_qr(A, mode)
    if mode == "r":
        return np.zeros(0, A.dtype), columns_first(np.linalg.qr(A, "r"))
    q, r = np.linalg.qr(A, mode)
    return columns_first(q), columns_first(r)


def _empty_qr(a: Array, mode: str) -> tuple[Array, Array]:
    *batch, m, n = a.shape
    k = m if mode == "complete" else min(m, n)
    r = columns_first(np.zeros((*batch, k, n), a.dtype))
    if mode == "r":
        return np.zeros(0, a.dtype), r
    return columns_first(np.broadcast_to(np.eye(m, k, dtype=a.dtype), (*batch, m, k))), r


@composite(vmap="decompose", out=None)
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """torch.linalg.qr."""
    return _qr(A, mode)


# Eigenvalues --------------------------------------------------------------------------------------


def pairwise_differences(values: Tensor) -> Tensor:
    """The differences of all pairs of values; the diagonal is 1, since formulas divide by them."""
    rows = values.unsqueeze(-1)  # first: see Note [Right operands first]
    result = values.unsqueeze(-2) - rows
    result.diagonal(0, -2, -1).fill_(1.0)
    return result


def _eigh_backward(grads: Any, L: Tensor, V: Tensor) -> Tensor:
    grad_values, grad_vectors = grads
    if grad_vectors is None:
        adjoint = V.mH  # first: see Note [Right operands first]
        return (V * grad_values.unsqueeze(-2)).matmul(adjoint)
    VhgV = V.mH.matmul(grad_vectors)
    if depends_on_phase(VhgV):
        raise RuntimeError(GAUGE.format("linalg_eigh_backward", "eigenvectors", "quantity, so it is"))
    result = times(VhgV - VhgV.mH, 0.5)  # on the tangent space: skew-symmetric
    result = result.div_(pairwise_differences(L))
    if grad_values is not None:
        result.diagonal(0, -2, -1).copy_(grad_values)
    return V.matmul(result.matmul(V.mH))


@op(
    "LinalgEighBackward0",
    name="_linalg_eigh",
    outputs="eigenvalues eigenvectors",
    returns=structseq.linalg_eigh,
    complex="as_written",
    vmap="front",
    A=lambda grads, eigenvalues, eigenvectors: _eigh_backward(grads, eigenvalues, eigenvectors),
)
def _eigh(A: Array, UPLO: str = "L") -> tuple[Array, Array]:
    square("linalg.eigh", A)
    need_fitting(UPLO.upper() in ("L", "U"), "linalg.eigh")
    if not A.size:
        return np.zeros(A.shape[:-1], A.real.dtype), columns_first(A)
    lapack.refuse_without_lapack("linalg_eigh_cpu", A)
    need_fitting(np.isfinite(A).all(), "linalg.eigh")
    values, vectors = np.linalg.eigh(A, UPLO.upper())
    return values, columns_first(vectors)


@composite(vmap="decompose", autocast="fp32", out=None)
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """torch.linalg.eigh."""
    return _eigh(A, UPLO)


@composite(vmap="decompose", autocast="fp32", out=Out(operator="_linalg_eigh"))
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """torch.linalg.eigvalsh."""
    return _eigh(A, UPLO)[0]


# Singular values ----------------------------------------------------------------------------------


GAUGE = (
    "{}: The {} in the complex case are specified up to multiplication by e^{{i phi}}. The specified loss function "
    "depends on this {} ill-defined."
)


def depends_on_phase(*factors: Tensor | None) -> bool:
    """Whether a loss depends on the phase of complex vectors: then the imaginary diagonals of these do not cancel."""
    arrays = [each._array for each in factors if each is not None]
    if arrays[0].dtype.kind != "c":
        return False
    phases = [np.diagonal(each, axis1=-2, axis2=-1).imag for each in arrays]
    return not np.allclose(phases[0], -phases[1] if len(phases) > 1 else 0, rtol=1e-2, atol=1e-2)


def _skew(tensor: Tensor) -> Tensor:
    return tensor - tensor.mH


def _svd_backward(grads: Any, U: Tensor, S: Tensor, Vh: Tensor, full_matrices: bool) -> Tensor:
    """The gradient of A (torch: FunctionsManual.cpp, svd_backward).

    With E[j, k] = S[k]**2 - S[j]**2, 1 on the diagonal, and skew(X) = X - X^H, it is
    U ((skew(U^H grad_U) / E) S + S (skew(V^H grad_V) / E) + diag(grad_S)) V^H; of a matrix that is not square, the longer
    factor's gradient also has a part outside of its span.
    """
    grad_u, grad_s, grad_vh = grads
    k = S._array.shape[-1]
    if full_matrices:
        Vh, U = Vh.narrow(-2, 0, k), U.narrow(-1, 0, k)
        grad_vh = None if grad_vh is None else grad_vh.narrow(-2, 0, k)
        grad_u = None if grad_u is None else grad_u.narrow(-1, 0, k)
    m, n = U._array.shape[-2], Vh._array.shape[-1]
    if grad_u is None and grad_vh is None:
        if m >= n:
            return matmul(U, grad_s.unsqueeze(-1) * Vh)
        return matmul(U * grad_s.unsqueeze(-2), Vh)
    skew_u = None if grad_u is None else _skew(matmul(U.mH, grad_u))
    skew_v = None if grad_vh is None else _skew(matmul(Vh, grad_vh.mH))
    if depends_on_phase(*(each for each in (skew_u, skew_v) if each is not None)):
        raise RuntimeError(GAUGE.format("svd_backward", "singular vectors", "phase term, making it"))
    differences = pairwise_differences(S * S)
    if skew_u is None:
        assert skew_v is not None
        result = skew_v / differences  # here and below: see Note [Right operands first]
        result = S.unsqueeze(-1) * result
    elif skew_v is None:
        columns = S.unsqueeze(-2)
        result = (skew_u / differences) * columns
    else:
        scaled_v = S.unsqueeze(-1) * skew_v
        result = (skew_u * S.unsqueeze(-2) + scaled_v) / differences
    if grad_s is not None:
        result = result + grad_s.diag_embed()
    if skew_u is not None and skew_v is not None and U._array.dtype.kind == "c":
        twice_s = times(S, 2.0)
        result = result + (skew_u.diagonal(0, -2, -1) / twice_s).diag_embed()
    if m > k and grad_u is not None:
        result = matmul(U, result)
        rest = grad_u / S.unsqueeze(-2)
        outside = matmul(U, matmul(U.mH, rest))
        return matmul(result + rest - outside, Vh)
    if n > k and grad_vh is not None:
        result = matmul(result, Vh)
        rest = grad_vh / S.unsqueeze(-1)
        outside = matmul(matmul(rest, Vh.mH), Vh)
        return matmul(U, result + rest - outside)
    return matmul(U, matmul(result, Vh)) if m >= n else matmul(matmul(U, result), Vh)


@op(
    "LinalgSvdBackward0",
    name="_linalg_svd",
    outputs="U S Vh",
    returns=structseq.linalg_svd,
    complex="as_written",
    vmap="front",
    A=lambda grads, U, S, S_sym_argsize_minus_1, Vh, full_matrices: _svd_backward(
        grads, U, S, Vh, full_matrices
    ),
)
def _svd(A: Array, full_matrices: bool = False, name: str = "linalg.svd") -> tuple[Array, Array, Array]:
    matrix(name, A)
    floating(name, A, False)
    if not A.size:
        return _empty_svd(A, full_matrices)
    lapack.refuse_without_lapack("linalg_svd_cpu", A)
    need_fitting(np.isfinite(A).all(), name)
    u, s, vh = np.linalg.svd(A, full_matrices)
    return columns_first(u), s, columns_first(vh)


def _empty_svd(a: Array, full_matrices: bool) -> tuple[Array, Array, Array]:
    *batch, m, n = a.shape
    k = min(m, n)
    u, vh = (
        np.eye(m, m if full_matrices else k, dtype=a.dtype),
        np.eye(n if full_matrices else k, n, dtype=a.dtype),
    )
    u, vh = (columns_first(np.broadcast_to(each, (*batch, *each.shape))) for each in (u, vh))
    return u, np.zeros((*batch, k), a.real.dtype), vh


@composite(vmap="decompose", autocast="fp32", out=None)
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """torch.linalg.svd."""
    need_fitting(driver is None, "linalg.svd")
    return _svd(A, full_matrices)


@composite(vmap="decompose", autocast="fp32", out=Out(operator="_linalg_svd"))
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """torch.linalg.svdvals."""
    need_fitting(driver is None, "linalg.svdvals")
    return _svd(A)[1]
