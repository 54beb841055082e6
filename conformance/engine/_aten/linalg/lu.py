"""torch.linalg.lu, lu_factor, lu_factor_ex and lu_solve, torch.lu_unpack, and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.conj_view import conjugate_view
from ..._autograd.tensor import Tensor, make
from ..._c10 import structseq
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..registry import Array, op
from ..shape.cat_stack import cat
from . import lapack
from .checks import columns_first, floating, square, succeeded
from .solve import check_equation, solve_triangular

# The gradient of factors --------------------------------------------------------------------------


def _factors_backward(grad_l: Any, grad_u: Any, P: Tensor, L: Tensor, U: Tensor, pivot: bool) -> Tensor:
    """torch's plu_backward: square, wide and tall matrices."""
    m, n = L._array.shape[-2], U._array.shape[-1]
    if m == n:
        result = _sum(
            None if grad_l is None else L.mH.matmul(grad_l).tril(-1),
            None if grad_u is None else grad_u.matmul(U.mH).triu(),
        )
        result = solve_triangular(U.mH, result, upper=False, left=False)
        result = solve_triangular(L.mH, result, upper=True, left=True, unitriangular=True)
    elif m < n:
        result = _wide(grad_l, grad_u, L, U, m, n)
    else:
        result = _tall(grad_l, grad_u, L, U, m, n)
    return P.matmul(result) if pivot else result


def _sum(*parts: Tensor | None) -> Any:
    total: Tensor | None = None
    for each in parts:
        if each is not None:
            total = each if total is None else total + each
    return total


def _zeros(like: Tensor, *shape: int) -> Tensor:
    return make(np.zeros((*like._array.shape[:-2], *shape), like._array.dtype))


def _wide(grad_l: Any, grad_u: Any, L: Tensor, U: Tensor, m: int, n: int) -> Tensor:
    of_l: Any = None if grad_l is None else L.mH.matmul(grad_l)
    if grad_u is None:
        result = of_l.tril(-1)
    else:
        of_u = grad_u.triu().matmul(U.mH)
        result = (-of_u if of_l is None else of_l - of_u).tril(-1)
    result = solve_triangular(U.narrow(-1, 0, m).mH, result, upper=False, left=False)
    if grad_u is not None:
        result = cat([result + grad_u.narrow(-1, 0, m).triu(), grad_u.narrow(-1, m, n - m)], -1)
    result = solve_triangular(L.mH, result, upper=True, left=True, unitriangular=True)
    return cat([result, _zeros(L, m, n - m)], -1) if grad_u is None else result


def _tall(grad_l: Any, grad_u: Any, L: Tensor, U: Tensor, m: int, n: int) -> Tensor:
    of_u: Any = None if grad_u is None else grad_u.matmul(U.mH)
    if grad_l is None:
        result = of_u.triu()
    else:
        of_l = L.mH.matmul(grad_l.tril(-1))
        result = (-of_l if of_u is None else of_u - of_l).triu()
    result = solve_triangular(L.narrow(-2, 0, n).mH, result, upper=True, left=True, unitriangular=True)
    if grad_l is not None:
        result = cat([result + grad_l.narrow(-2, 0, n).tril(-1), grad_l.narrow(-2, n, m - n)], -2)
    result = solve_triangular(U.mH, result, upper=False, left=False)
    return cat([result, _zeros(L, m - n, n)], -2) if grad_l is None else result


# Factors in one matrix ----------------------------------------------------------------------------


def _factor_backward(grad: Tensor, LU: Tensor, pivots: Tensor, pivot: bool) -> Tensor:
    P, L, U = lu_unpack(LU, pivots, True, pivot)
    k = min(L._array.shape[-2], U._array.shape[-1])
    return _factors_backward(grad.narrow(-1, 0, k), grad.narrow(-2, 0, k), P, L, U, pivot)


@op(
    "LinalgLuFactorExBackward0",
    name="linalg_lu_factor_ex",
    outputs="LU pivots info",
    returns=structseq.linalg_lu_factor_ex,
    complex="as_written",
    vmap="front",
    A=_factor_backward,
)
def _factor(A: Array, pivot: bool = True) -> tuple[Array, Array, Array]:
    _check("torch.lu_factor", A, pivot)
    factors, pivots, info = lapack.factor(A)
    return columns_first(factors), pivots, info


def _check(name: str, a: Array, pivot: bool) -> None:
    _need_matrix(name, a)
    if not a.size:
        return
    lapack.refuse_without_lapack("lu_cpu", a)
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def _need_matrix(name: str, a: Array) -> None:
    if a.ndim < 2:
        shape = list(a.shape)
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {shape} instead")


@composite(vmap="decompose", out=None)
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """torch.linalg.lu_factor_ex: the factors in one matrix, the pivots, and ``info``: the first zero pivot, or 0."""
    result = _factor(A, pivot)
    if check_errors:
        _succeeded("torch.linalg.lu_factor_ex", result[2])
    return result


def _succeeded(name: str, info: Tensor) -> None:
    succeeded(
        name,
        info,
        "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform "
        "the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
        RuntimeError,
    )


@composite(vmap="decompose", out=None)
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """torch.linalg.lu_factor: the factors in one matrix, and the pivots."""
    result = _factor(A, pivot)
    _succeeded("torch.linalg.lu_factor", result[2])
    return structseq.linalg_lu_factor(result[:2])


# Separate factors ---------------------------------------------------------------------------------


def _permutation(pivots: Array, m: int, kind: Any) -> Array:
    """The permutation matrix of LAPACK's pivots, which are successive row exchanges."""
    result = np.zeros((*pivots.shape[:-1], m, m), kind)
    for place in np.ndindex(pivots.shape[:-1]):
        order = np.arange(m)
        for i, j in enumerate(pivots[place] - 1):
            order[[i, j]] = order[[j, i]]
        result[(*place, order, np.arange(m))] = 1
    return result


def _triangles(factors: Array) -> tuple[Array, Array]:
    k = min(factors.shape[-2:])
    lower = np.tril(factors[..., :k], -1) + np.eye(factors.shape[-2], k, dtype=factors.dtype)
    return np.ascontiguousarray(lower), np.ascontiguousarray(np.triu(factors[..., :k, :]))


@op(
    "LinalgLuBackward0",
    name="linalg_lu",
    outputs="P L U",
    constants="P",
    returns=structseq.linalg_lu,
    complex="as_written",
    vmap="fallback",
    A=lambda grads, P, L, U, pivot: _factors_backward(grads[0], grads[1], P, L, U, pivot),
)
def _lu(A: Array, pivot: bool = True) -> tuple[Array, Array, Array]:
    _check("linalg.lu", A, pivot)
    factors, pivots, _ = lapack.factor(A)
    P = _permutation(pivots, A.shape[-2], A.dtype) if pivot else np.zeros(0, A.dtype)
    return P, *_triangles(factors)


@composite(vmap="fallback", out=None)
def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """torch.linalg.lu: permutation, lower and upper triangle."""
    return _lu(A, pivot)


def _unpack_backward(grads: Any, m: int, n: int) -> Any:
    """The gradient of lu_unpack: the triangles of both gradients in one matrix."""
    of_l, of_u = grads
    k = min(m, n)
    if m == n:
        triangle = None if of_u is None else of_u.triu()  # here and below: see Note [Right operands first]
        return _sum(None if of_l is None else of_l.tril(-1), triangle)
    some = of_u if of_l is None else of_l
    if m < n:
        if of_u is None:
            return cat([of_l.tril(-1), _zeros(some, m, n - m)], -1)
        if of_l is None:
            return of_u.triu()
        triangle = of_u.narrow(-1, 0, k).triu()
        return cat([of_l.tril(-1) + triangle, of_u.narrow(-1, k, n - k)], -1)
    if of_l is None:
        return cat([of_u.triu(), _zeros(some, m - n, n)], -2)
    if of_u is None:
        return of_l.tril(-1)
    triangle = of_u.triu()
    return cat([of_l.narrow(-2, 0, k).tril(-1) + triangle, of_l.narrow(-2, k, m - k)], -2)


@op(
    "LuUnpackBackward0",
    name="lu_unpack",
    outputs="P L U",
    constants="P",
    tensors="LU_pivots",
    returns=structseq.lu_unpack,
    complex="as_written",
    LU_data=lambda grads, LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1: _unpack_backward(
        grads, LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1
    ),
)
def _lu_unpack(
    LU_data: Array, LU_pivots: Array, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Array, Array, Array]:
    """The factors of one matrix apart, and the permutation that the pivots make."""
    _need_matrix("torch.lu_unpack", LU_data)
    empty = np.zeros(0, LU_data.dtype)
    if unpack_pivots:
        need_fitting(LU_pivots.dtype == np.int32 and (LU_pivots >= 1).all(), "torch.lu_unpack")
    p = _permutation(LU_pivots, LU_data.shape[-2], LU_data.dtype) if unpack_pivots else empty
    return p, *(_triangles(LU_data) if unpack_data else (empty, empty))


@composite(variants="function", vmap="decompose", out=None)
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """The factors of one matrix apart, and the permutation that the pivots make."""
    return _lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)


# Equations ----------------------------------------------------------------------------------------


def _solve_factors_backward(
    grad: Tensor, LU: Tensor, pivots: Tensor, result: Tensor, left: bool, adjoint: bool
) -> Tensor:
    P, L, U = lu_unpack(LU, pivots, True, left == adjoint)
    if left != adjoint:
        product = grad.matmul(result.mH) if left else grad.mH.matmul(result)
        right = -product  # here and below: see Note [Right operands first]
        found = solve_triangular(U.mH, right, upper=False, left=True)
        right = found.matmul(U.mH)
        of_l = solve_triangular(L.mH, right, upper=True, left=True, unitriangular=True).tril(-1)
        return of_l + found.triu()
    product = P.mT.matmul(result).matmul(grad.mH) if left else P.mT.matmul(result.mH).matmul(grad)
    right = -product.matmul(P)
    found = solve_triangular(L.mH, right, upper=True, left=False, unitriangular=True)
    right = L.mH.matmul(found)
    of_u = solve_triangular(U.mH, right, upper=False, left=False).triu()
    return found.tril(-1) + of_u


@op(
    "LinalgLuSolveBackward0",
    name="linalg_lu_solve",
    tensors="pivots",
    complex="as_written",
    refuses_index_grad=True,
    LU=_solve_factors_backward,
    B=lambda grad, LU, pivots, left, adjoint: _lu_solve(LU, pivots, grad, left, not adjoint),
)
def _lu_solve(LU: Array, pivots: Array, B: Array, left: bool = True, adjoint: bool = False) -> Array:
    name = "linalg.lu_solve"
    floating(f"torch.{name}", LU, False)
    square(f"torch.{name}", LU)
    need_fitting(LU.dtype == B.dtype and pivots.dtype == np.int32, name)
    check_equation(name, LU, B, left)
    fits = pivots.shape == LU.shape[:-1] and ((pivots >= 1) & (pivots <= LU.shape[-2])).all()
    need_fitting(fits, name)
    found = lapack.lu_solve(LU, pivots, B, left, adjoint)
    if left:
        return columns_first(found)
    if found.dtype.kind == "c" and found.size:  # torch solves the equation of the adjoints
        return conjugate_view(np.array(np.conjugate(found), order="C"))
    return np.array(found, order="C")


@composite(vmap="decompose", out=True)
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """torch.linalg.lu_solve: X in A X = B (or X A = B), from A's factors."""
    return _lu_solve(LU, pivots, B, left, adjoint)
