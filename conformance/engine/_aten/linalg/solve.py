"""torch.linalg.inv, det, slogdet, solve, solve_triangular, tensorinv and tensorsolve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.conj_view import is_conjugate_view
from ..._autograd.tensor import Tensor, make
from ..._c10 import structseq
from ..._c10.dtypes import float_limits
from ..._c10.errors import need_fitting
from ..._c10.modes import state
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import wrap_dim
from ..._c10.slots import on_first_use
from ..blas.matmul import matmul
from ..creation.factories import zeros_like
from ..reduction.sum_mean_prod import _without_each
from ..registry import Array, op
from ..scalar_operands import times
from ..shape.clone_to import without_leading_ones
from ..shape.triangular_diagonal import diag_embed
from . import lapack
from .checks import columns_first, floating, matrix, square, succeeded

svd: Callable[..., Any] = on_first_use("linalg_svd")  # from decompositions, see Note [Slots]

SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."


# Inverse ------------------------------------------------------------------------------------------


def _inverse_backward(grad: Tensor, inverse: Tensor) -> Tensor:
    right = matmul(grad, inverse.mH)  # see Note [Right operands first]
    return -matmul(inverse.mH, right)


@op(
    "LinalgInvExBackward0",
    name="linalg_inv_ex",
    outputs="inverse info",
    returns=structseq.linalg_inv_ex,
    complex="as_written",
    autocast="fp32",
    vmap="front",
    A=_inverse_backward,
)
def _inv_ex(A: Array) -> tuple[Array, Array]:
    square("linalg.inv", A)
    floating("linalg.inv", A)
    factors, pivots, info = lapack.factor(A)
    identity = np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape)
    return columns_first(lapack.lu_solve(factors, pivots, identity)), info


@composite(vmap="decompose", autocast="fp32", out=Out(operator="linalg_inv_ex"))
def inv(A: Tensor) -> Tensor:
    """torch.linalg.inv."""
    result = _inv_ex(A)
    succeeded("linalg.inv", result[1], SINGULAR)
    return result[0]


@composite(vmap="decompose", out=None)
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """torch.linalg.inv_ex: the inverse, and ``info``, which is not 0 where a matrix is singular."""
    result = _inv_ex(A)
    if check_errors:
        succeeded("linalg.inv_ex", result[1], SINGULAR)
    return result


# Determinant --------------------------------------------------------------------------------------


def _determinant(a: Array) -> tuple[Array, Array, Array, Array, Array]:
    """The determinant's sign, log of its absolute value, LU factors, pivots, and the determinant itself."""
    factors, pivots, _ = lapack.factor(a)
    diagonal = np.diagonal(factors, axis1=-2, axis2=-1)
    swaps = np.count_nonzero(pivots != np.arange(1, a.shape[-1] + 1), axis=-1)
    parity = np.where(swaps % 2, -1, 1).astype(a.dtype)
    signs = np.where(np.isnan(diagonal), 0, np.sign(diagonal))  # torch.sign of nan is 0
    sign = parity * np.multiply.reduce(signs, -1)
    log = np.add.reduce(np.log(np.abs(diagonal)), -1)
    return sign, log, columns_first(factors), pivots, parity * np.multiply.reduce(diagonal, -1)


def _adjugate_backward(grad: Tensor, det: Tensor, A: Tensor, LU: Tensor, pivots: Tensor) -> Tensor:
    if not A._array.size:
        return zeros_like(A)
    if A._array.shape[-1] == 1:
        return grad.unsqueeze(-1).unsqueeze(-1).expand(A._array.shape)
    weight = grad * det.conj()
    spread = diag_embed(weight.unsqueeze(-1).expand(pivots._array.shape)).mT
    epsilon = float_limits(A._array.dtype).eps
    if not state.recording:
        perturbed = np.array(LU._array)
        diagonal = np.einsum("...ii->...i", perturbed)
        diagonal[diagonal == 0] = epsilon
        return make(columns_first(lapack.lu_solve(perturbed, pivots._array, spread._array, True, True)))
    singular = np.abs(det._array) < 100 * epsilon
    if not singular.any():
        return solve(A.mH, spread)
    if singular.all():
        return _singular_backward(A, grad)
    where, elsewhere = make(singular), make(~singular)
    result = make(np.zeros(A._array.shape, A._array.dtype))
    result.index_put_((where,), without_leading_ones(_singular_backward(A[where], grad[where])))
    others = solve(A[elsewhere].mH, spread[elsewhere])
    return result.index_put_((elsewhere,), without_leading_ones(others))


def _singular_backward(A: Tensor, grad: Tensor) -> Tensor:
    """The gradient of a determinant that is zero, from the singular values."""
    U, S, Vh = svd(A)
    alpha = (det(U) * det(Vh)).conj() * grad
    products = _without_each(alpha.unsqueeze(-1), S, S._array.ndim - 1)
    return (U * products.unsqueeze(-2)).matmul(Vh)


@op(
    "LinalgDetBackward0",
    name="_linalg_det",
    outputs="result LU pivots",
    constants="LU pivots",
    complex="as_written",
    vmap="front",
    A=lambda grad, result, A, LU, pivots: _adjugate_backward(grad, result, A, LU, pivots),
)
def _det(A: Array) -> tuple[Array, Array, Array]:
    square("linalg.det", A)
    floating("linalg.det", A, False)
    _, _, factors, pivots, product = _determinant(A)
    return np.asarray(product), factors, pivots


@composite(vmap="decompose", out=Out(operator="_linalg_det"))
def det(A: Tensor) -> Tensor:
    """torch.linalg.det."""
    return _det(A)[0]


def _slogdet_backward(grads: Any, A: Tensor, sign: Tensor, LU: Tensor, pivots: Tensor) -> Tensor | None:
    """The gradient of slogdet; the sign contributes only if it is complex."""
    grad: Tensor | None = grads[1]
    if grads[0] is not None and sign._array.dtype.kind == "c":
        turn = (grads[0].conj() * sign).imag
        grad = times(turn, -1j) if grad is None else grad - times(turn, 1j)
    if grad is None:
        return None
    grad = grad.to(A.dtype)
    spread = diag_embed(grad.unsqueeze(-1).expand(pivots._array.shape))
    if state.recording:
        columns = spread.mT  # torch makes this node before the other
        return solve(A.mH, columns)
    return make(columns_first(lapack.lu_solve(LU._array, pivots._array, spread._array, True, True)))


@op(
    "LinalgSlogdetBackward0",
    name="_linalg_slogdet",
    outputs="sign logabsdet LU pivots",
    constants="LU pivots",
    complex="as_written",
    vmap="front",
    A=_slogdet_backward,
)
def _slogdet(A: Array) -> tuple[Array, ...]:
    square("linalg.slogdet", A)
    floating("linalg.slogdet", A)
    return tuple(np.asarray(each) for each in _determinant(A)[:4])


@composite(vmap="decompose", out=None)
def slogdet(A: Tensor) -> Any:
    """torch.linalg.slogdet: sign and logarithm of the determinant."""
    sign, log, *_ = _slogdet(A)
    return structseq.linalg_slogdet((sign, log))


# Linear equations ---------------------------------------------------------------------------------


def is_vector(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether B is a vector or a batch of vectors, not a matrix."""
    return len(b) == 1 or (len(a) - 1 == len(b) and a[:-1] == b)


def _solve_backward(
    grad: Tensor, A: Tensor, result: Tensor, LU: Tensor, pivots: Tensor, left: bool, needed: Any
) -> Any:
    vector = is_vector(LU._array.shape, result._array.shape)
    wide = grad.unsqueeze(-1) if vector else grad
    if state.recording:
        to_b = solve(A.mH, wide, left=left)
    else:
        solved = lapack.lu_solve(LU._array, pivots._array, wide._array, left, True)
        to_b = make(columns_first(solved) if left else np.ascontiguousarray(solved))
    to_a = None
    if needed[0]:
        found = result.unsqueeze(-1) if vector else result
        to_a = -to_b.matmul(found.mH) if left else -found.mH.matmul(to_b)
    return to_a, to_b.squeeze(-1) if vector else to_b


@op(
    "LinalgSolveExBackward0",
    name="_linalg_solve_ex",
    outputs="result LU pivots info",
    constants="LU",
    complex="as_written",
    jvp="multilinear",
    inputs={"A B": _solve_backward},
)
def _solve_ex(A: Array, B: Array, left: bool, name: str) -> tuple[Array, ...]:
    floating(name, A, False)
    matrix(name, A)
    need_fitting(A.dtype == B.dtype, name)
    square(name, A)
    vector = is_vector(A.shape, B.shape)
    right = B[..., None] if vector else B
    check_equation(name, A, right, left)
    factors, pivots, info = lapack.factor(A)
    found = lapack.lu_solve(factors, pivots, right, left)
    found = found.squeeze(-1) if vector else found
    ordered = columns_first(found) if left and found.ndim > 1 else np.ascontiguousarray(found)
    return ordered, columns_first(factors), pivots, info


def check_equation(name: str, a: Array, b: Array, left: bool) -> None:
    """Refuse shapes of A and B that do not fit."""
    matrix(name, b, "B")
    need_fitting(a.shape[-1] == b.shape[-2 if left else -1], name)


@composite(vmap="decompose", autocast="fp32", out=Out(operator="_linalg_solve_ex"))
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """torch.linalg.solve: X in A X = B, or in X A = B."""
    result = _solve_ex(A, B, left, "linalg.solve")
    succeeded("torch.linalg.solve", result[3], "The solver failed because the input matrix is singular.")
    return result[0]


@composite(vmap="decompose", out=None)
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """torch.linalg.solve_ex: the solution, and ``info``, which is not 0 where a matrix is singular."""
    result = _solve_ex(A, B, left, "linalg.solve")
    if check_errors:
        succeeded(
            "torch.linalg.solve_ex",
            result[3],
            "The solver failed because the input matrix is singular.",
        )
    return structseq.linalg_solve_ex((result[0], result[3]))


def _triangular_backward(
    grad: Tensor, self: Tensor, result: Tensor, upper: bool, left: bool, unitriangular: bool, needed: Any
) -> Any:
    to_b = solve_triangular(self.mH, grad, upper=not upper, left=left, unitriangular=unitriangular)
    to_a = None
    if needed[0]:
        to_a = -to_b.matmul(result.mH) if left else -result.mH.matmul(to_b)
        to_a = to_a.triu(int(unitriangular)) if upper else to_a.tril(-int(unitriangular))
    return to_a, to_b


@op(
    "LinalgSolveTriangularBackward0",
    name="linalg_solve_triangular",
    complex="as_written",
    handle_r_to_c=False,
    inputs={"self B": _triangular_backward},
)
def _solve_triangular(self: Array, B: Array, upper: bool, left: bool, unitriangular: bool) -> Array:
    name = "linalg.solve_triangular"
    square(name, self)
    check_equation(name, self, B, left)
    lapack.refuse_without_lapack("triangular_solve_cpu", self)
    b = B.astype(self.dtype, copy=False)  # A's dtype, without type promotion
    found = lapack.solve_triangular(self, b, upper, left, unitriangular)
    # Such an array is passed to LAPACK without a copy.
    if is_conjugate_view(self) and np.swapaxes(self, -1, -2).flags.c_contiguous:
        return np.array(found, order="C")
    return columns_first(found)


@composite(vmap="decompose", out=True)
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """torch.linalg.solve_triangular: X in A X = B, or in X A = B, reading one triangle of A only."""
    return _solve_triangular(A, B, upper, left, unitriangular)


# Tensors as matrices ------------------------------------------------------------------------------


@composite(vmap="decompose", autocast="fp32", out=Out(copied=True, contiguous=True))
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """torch.linalg.tensorinv: the inverse of a tensor reshaped to a matrix."""
    shape = A._array.shape
    need_fitting(0 < ind <= len(shape), "linalg.tensorinv")
    rows, columns = int(np.prod(shape[:ind])), int(np.prod(shape[ind:]))
    return inv(A.reshape(rows, columns)).reshape((*shape[ind:], *shape[:ind]))


@composite(vmap="fallback", autocast="fp32", out=Out(copied=True))
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """torch.linalg.tensorsolve: X in tensordot(A, X) = B."""
    if dims is not None:
        ndim = A._array.ndim
        moved = [wrap_dim(d, ndim) for d in dims]
        A = A.permute([*(d for d in range(ndim) if d not in moved), *moved])
    shape = A._array.shape[B._array.ndim :]
    columns = int(np.prod(shape))
    return solve(A.reshape(columns, columns), B.flatten()).reshape(shape)
