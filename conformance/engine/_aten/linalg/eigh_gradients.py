"""The gradient of some eigenvalues and eigenvectors of a symmetric matrix (torch: _lobpcg.py).

Note [Eigenvectors apart from the rest]: if all eigenvectors U are known, dU is in their span. If only some are known,
a part of dU is in their orthogonal complement, where it solves a Sylvester equation. The solution (Hu and Cheng,
2006) does not need the other eigenvectors, only the characteristic polynomial of the known eigenvalues D, evaluated
at A and at D.
"""

from __future__ import annotations

import math

from ..._autograd.tensor import Tensor
from ..creation.factories import eye
from ..pointwise.binary import addcmul
from ..random.random import Generator, randn
from .decompositions import cholesky
from .torch_level_functions import cholesky_solve


def eigenpairs_backward(
    of_values: Tensor, of_vectors: Tensor, A: Tensor, D: Tensor, U: Tensor, largest: bool
) -> Tensor:
    """The gradient of A, given those of the eigenvalues D and the columns U."""
    rows, columns = U._array.shape[-2:]
    within = _within(of_values, of_vectors, D, U)
    return within if rows == columns else _beyond(within, of_vectors, A, D, U, largest)


def _within(of_values: Tensor, of_vectors: Tensor, D: Tensor, U: Tensor) -> Tensor:
    """The part of the gradient in the span of U."""
    gaps = D.unsqueeze(-2) - D.unsqueeze(-1)
    gaps.diagonal(0, -2, -1).fill_(math.inf)
    gaps.pow_(-1)
    Ut = U.mT.contiguous()
    return U.matmul((of_values.diag_embed() + Ut.matmul(of_vectors) * gaps).matmul(Ut))


def _beyond(within: Tensor, of_vectors: Tensor, A: Tensor, D: Tensor, U: Tensor, largest: bool) -> Tensor:
    """The full gradient, see Note [Eigenvectors apart from the rest]."""
    Ut = U.mT.contiguous()
    others = -U.matmul(Ut)
    others.diagonal(0, -2, -1).add_(1)
    *batch, m, k = U._array.shape
    basis = others.matmul(randn((*batch, m, m - k), dtype=A.dtype, generator=Generator()))
    across = basis.mT.contiguous()
    polynomial = _with_roots(D)
    series, moved = of_vectors.new_zeros(of_vectors._array.shape), of_vectors
    for i in range(1, k + 1):
        series += moved * _at_numbers(polynomial[..., i:], D).unsqueeze(-2)
        moved = A.matmul(moved)
    restricted = across.matmul(_at_matrix(polynomial, A).matmul(basis))
    sign = -1 if largest and k % 2 else 1
    factor = cholesky(sign * restricted)
    within -= basis.matmul(sign * cholesky_solve(across.matmul(series), factor)).matmul(Ut)
    return within


def _with_roots(roots: Tensor) -> Tensor:
    """The coefficients of the monic polynomial with these roots, the constant first."""
    *batch, degree = roots._array.shape
    known = roots.new_zeros((*batch, degree + 2))
    known[..., 0] = 1
    known[..., -1] = 1
    for i in range(1, degree + 1):  # one more factor (x - root) each
        more = known.clone() if roots.requires_grad else known
        part = more.narrow(-1, degree - i, i + 1)
        part -= roots.narrow(-1, i - 1, 1) * known.narrow(-1, degree - i + 1, i + 1)
        known = more
    return known.narrow(-1, 1, degree + 1)


def _at_numbers(polynomial: Tensor, x: Tensor) -> Tensor:
    """The polynomial's values at numbers, by Horner's rule."""
    result = x.new_ones((1,)).expand(x._array.shape).clone()
    for i in reversed(range(polynomial._array.shape[-1] - 1)):
        result = addcmul(polynomial[..., i].unsqueeze(-1), x, result)
    return result


def _at_matrix(polynomial: Tensor, x: Tensor) -> Tensor:
    """The polynomial's value at a square matrix, by Horner's rule."""
    *batch, n, _ = x._array.shape
    result = eye(n, n, dtype=x.dtype).view((*(1,) * len(batch), n, n)).clone()
    for i in reversed(range(polynomial._array.shape[-1] - 1)):
        result = x.matmul(result)
        result.diagonal(0, -2, -1).add_(polynomial[..., i].unsqueeze(-1))
    return result
