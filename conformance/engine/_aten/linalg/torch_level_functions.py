"""Functions of torch with a counterpart in torch.linalg, such as torch.inverse and torch.lu_solve."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10 import structseq
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import broadcast_shapes
from ..._c10.warn_once import warn_once
from ..creation.factories import scalar_tensor
from ..pointwise.where_clamp import where
from ..registry import Array, op
from . import functions as linalg
from . import householder, lapack
from . import svd_lowrank as low_rank
from .checks import columns_first, fit_equation, floating, square, succeeded
from .decompositions import MINOR, _svd, cholesky_backward
from .lu import lu_unpack as _lu_unpack


@composite(vmap="decompose", autocast="fp32", out=True)
def inverse(input: Tensor) -> Tensor:
    """torch.linalg.inv."""
    return linalg.inv(input)


@composite(vmap="decompose", autocast="fp32")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """torch.linalg.pinv with a fixed default of ``rcond``."""
    return linalg.pinv(input, rcond=rcond)


@composite(vmap="decompose")
def det(input: Tensor) -> Tensor:
    """torch.linalg.det."""
    return linalg.det(input)


@composite(vmap="decompose", out=None)
def slogdet(input: Tensor) -> Any:
    """torch.linalg.slogdet."""
    return structseq.slogdet(linalg.slogdet(input))


@composite(vmap="decompose")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan for a negative determinant."""
    square("logdet", input)
    floating("logdet", input._array)
    sign, log = linalg.slogdet(input)
    if input._array.dtype.kind == "c":
        return sign.log() + log
    return where(sign == -1.0, scalar_tensor(float("nan"), dtype=input.dtype), log)


@composite(vmap="decompose")
def matrix_exp(input: Tensor) -> Tensor:
    """torch.linalg.matrix_exp."""
    return linalg.matrix_exp(input)


# Decompositions -----------------------------------------------------------------------------------


@op(
    "CholeskyBackward0",
    name="cholesky",
    complex="as_written",
    jvp="not_implemented",
    autocast="fp32",
    vmap="front",
    out=Out(contiguous=True),
    self=lambda grad, upper, result: cholesky_backward(grad, upper, result),
)
def _cholesky(self: Array, upper: bool = False) -> Array:
    if not self.size:
        return self.copy()
    square("cholesky", self)
    factors, info = lapack.cholesky(self, upper)
    succeeded("cholesky", info, MINOR)
    return columns_first(factors)


@composite(vmap="decompose", out=None)
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """torch.linalg.cholesky, by its older name."""
    warn_once(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future "
        "PyTorch release.\n"
        "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
        "torch.cholesky(A, upper=True)\n"
        "should be replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent "
        "results for all "
        "valid (symmetric positive definite) inputs.",
    )
    return _cholesky(input, upper)


@composite(vmap="decompose", autocast="fp32", out=None)
def qr(input: Tensor, some: bool = True) -> Any:
    """torch.linalg.qr, by its older name."""
    warn_once(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch "
        "release.\nThe boolean "
        "parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould "
        "be replaced "
        "with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
    )
    return structseq.qr(linalg.qr(input, "reduced" if some else "complete"))


@composite(vmap="decompose", autocast="fp32", out=None)
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """torch.linalg.svd, but it returns V instead of its adjoint, and the reduced form by default."""
    if not compute_uv:
        *batch, m, n = input._array.shape
        u, vh = (input.new_empty((*batch, k, k)).zero_() for k in (m, n))
        return structseq.svd((u, linalg.svdvals(input), vh.mH))
    u, s, vh = _svd(input, not some)
    return structseq.svd((u, s, vh.mH))


# Solving with a Cholesky factor -------------------------------------------------------------------


def _cholesky_solve_backward(
    grad: Tensor, self: Tensor, input2: Tensor, result: Tensor, upper: bool, needed: Any
) -> Any:
    to_self = cholesky_solve(grad, input2, upper)
    to_factor = None
    if needed[1]:
        common = to_self.matmul(result.mH)
        common = common + common.mH
        to_factor = -input2.matmul(common) if upper else -common.matmul(input2)
    return to_self, to_factor


@op(
    "CholeskySolveBackward0",
    complex="as_written",
    autocast="fp32",
    out=Out(contiguous=True),
    inputs={"self input2": _cholesky_solve_backward},
)
def cholesky_solve(self: Array, input2: Array, upper: bool = False) -> Array:
    """X in A X = B, from A's Cholesky factor."""
    need_fitting(fit_equation(input2, self) and self.dtype == input2.dtype, "cholesky_solve")
    lapack.refuse_without_lapack("cholesky_solve_cpu", self)
    turned = lapack.transposed(input2)
    first, second = (turned, input2) if upper else (input2, turned)
    half = lapack.solve_triangular(first, self, False, True, False)
    return columns_first(lapack.solve_triangular(second, half, True, True, False))


def _cholesky_inverse_backward(grad: Tensor, self: Tensor, upper: bool, result: Tensor) -> Tensor:
    common = grad + grad.mH
    common = result.matmul(common.matmul(result))
    return -self.matmul(common) if upper else -common.matmul(self)


@op(
    "CholeskyInverseBackward0",
    complex="as_written",
    autocast="fp32",
    vmap="front",
    self=_cholesky_inverse_backward,
)
def cholesky_inverse(self: Array, upper: bool = False) -> Array:
    """The inverse of a matrix, from its Cholesky factor."""
    square("cholesky_inverse", self)
    lapack.refuse_without_lapack("cholesky_inverse_out_cpu", self)
    if self.size:
        zero = np.diagonal(self, axis1=-2, axis2=-1) == 0
        succeeded("cholesky_inverse", np.where(zero.any(-1), zero.argmax(-1) + 1, 0), _SINGULAR)
    if self.dtype.kind == "c":
        return columns_first(lapack.from_cholesky_factor(self, upper))
    identity = np.broadcast_to(np.eye(self.shape[-1], dtype=self.dtype), self.shape)
    turned = lapack.transposed(self)
    first, second = (turned, self) if upper else (self, turned)
    half = lapack.solve_triangular(first, identity, False, True, False)
    return columns_first(lapack.solve_triangular(second, half, True, True, False))


_SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."


# Older names of solvers ----------------------------------------------------------------------------


def _triangular_solve_backward(
    grads: Any,
    self: Tensor,
    A: Tensor,
    solution: Tensor,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
    needed: Any,
) -> Any:
    """torch's triangular_solve_backward; the gradient of the returned copy of A is added to A's."""
    of_solution, of_copy = grads
    to_self = to_a = None
    if of_solution is not None:
        to_self = _triangular_solve(of_solution, A.conj(), upper, not transpose, unitriangular)[0]
        if needed[1]:
            to_a = -solution.conj().matmul(to_self.mT) if transpose else -to_self.matmul(solution.mH)
            to_a = to_a.triu(int(unitriangular)) if upper else to_a.tril(-int(unitriangular))
    else:
        nothing = make(np.zeros(1, self._array.dtype)).zero_()  # which counts, as it does for torch
        to_self, to_a = nothing.expand(self._array.shape), nothing
    if of_copy is not None and to_a is not None:
        to_a = to_a + of_copy
    return to_self, to_a


@op(
    "TriangularSolveBackward0",
    name="triangular_solve",
    outputs="solution cloned_coefficient",
    returns=structseq.triangular_solve,
    complex="as_written",
    autocast="fp32",
    inputs={"self A": _triangular_solve_backward},
)
def _triangular_solve(
    self: Array, A: Array, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Array, Array]:
    need_fitting(fit_equation(A, self) and A.dtype == self.dtype, "torch.triangular_solve")
    batch = broadcast_shapes(self.shape[:-2], A.shape[:-2])
    warn_once(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a "
        "future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a "
        "copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = "
        "torch.linalg.solve_triangular(A, B).",
    )
    lapack.refuse_without_lapack("triangular_solve_cpu", self)
    right = np.broadcast_to(self, (*batch, *self.shape[-2:]))
    left = np.broadcast_to(A, (*batch, *A.shape[-2:]))
    turned = np.swapaxes(left, -1, -2) if transpose else left
    result = lapack.solve_triangular(turned, right, upper != transpose, True, unitriangular)
    return columns_first(result), columns_first(left)


@composite(vmap="decompose", out=None)
def triangular_solve(
    input: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """The older name of torch.linalg.solve_triangular; it also returns a copy of A."""
    return _triangular_solve(input, A, upper, transpose, unitriangular)


lu_unpack = _lu_unpack


@composite(vmap="fallback", autocast="fp32", out=True)
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """torch.linalg.lu_solve, by its older name."""
    warn_once(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
    )
    return linalg.lu_solve(LU_data, LU_pivots, b)


@composite(vmap="decompose", out=None)
def lu(A: Tensor, pivot: bool = True, get_infos: Any = False) -> tuple[Tensor, ...]:
    """torch.linalg.lu_factor, by its older name."""
    warn_once(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed "
        "in a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots "
        "= torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, "
        "get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
    )
    result = linalg.lu_factor_ex(A, pivot=pivot)
    return structseq._lu_with_info(result) if get_infos else tuple(result[:2])


geqrf, orgqr, ormqr = householder.geqrf, householder.orgqr, householder.ormqr
pca_lowrank, svd_lowrank = low_rank.pca_lowrank, low_rank.svd_lowrank

PUBLIC = (
    "cholesky", "cholesky_inverse", "cholesky_solve", "det", "geqrf", "inverse", "logdet", "lu", "lu_solve", "lu_unpack",
    "matrix_exp", "orgqr", "ormqr", "pca_lowrank", "pinverse", "qr", "slogdet", "svd", "svd_lowrank", "triangular_solve",
)  # fmt: skip
