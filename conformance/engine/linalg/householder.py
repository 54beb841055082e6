"""Products of Householder reflectors, and the QR factors that LAPACK keeps as such."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes, return_types
from ..creation import zeros_like
from ..ops.scalars import minus
from ..ops.undefined import undefined
from ..out import given, given_several
from ..rows import Array, op
from ..tensor import Tensor
from . import kernels
from .checks import columns_first

_NAME = "torch.linalg.householder_product"


def _check(input: Array, tau: Array) -> None:
    """Refuse shapes and dtypes that do not fit.

    Raises:
        RuntimeError: as torch words it.
        NotImplementedError: no LAPACK routine for the dtype.
    """
    m, n = input.shape[-2:] if input.ndim > 1 else (0, 0)
    for wrong, text in (
        (input.ndim < 2, "input must have at least 2 dimensions."),
        (m < n, "input.shape[-2] must be greater than or equal to input.shape[-1]"),
    ):
        if wrong:
            raise RuntimeError(f"{_NAME}: {text}")
    if not tau.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if n < tau.shape[-1]:
        raise RuntimeError(f"{_NAME}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if tau.ndim != input.ndim - 1:
        raise RuntimeError(
            f"{_NAME}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and "
            f"input.ndim is equal to {input.ndim}"
        )
    if tau.shape[:-1] != input.shape[:-2]:
        raise RuntimeError(
            f"{_NAME}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(tau.shape[:-1])}"
        )
    if tau.dtype != input.dtype:
        of_tau, of_input = (dtypes.BY_NUMPY[each.dtype].legacy for each in (tau, input))
        raise RuntimeError(f"{_NAME}: tau dtype {of_tau} does not match input dtype {of_input}")
    kernels.refuse_without_lapack("orgqr_cpu", input)


def _vectors(input: Tensor) -> Tensor:
    """The vectors of the reflectors: what is below the diagonal, and 1 on it."""
    found = input.tril(-1)
    found.diagonal(0, -2, -1).fill_(1.0)
    return found


def _product_backward(grad: Tensor, input: Tensor, tau: Tensor, result: Tensor) -> tuple[Any, Any]:
    """What the product and its gradient make together, taken apart reflector by reflector, from the left and the right."""
    if not (input._array.size and tau._array.size):
        return None, None
    vectors, of_vectors, of_tau = _vectors(input), zeros_like(input), zeros_like(tau)
    m, k = input._array.shape[-2], tau._array.shape[-1]
    first = vectors.narrow(-1, 0, k)
    inverses = tau / minus(tau * (first * first.conj()).sum(-2), 1.0)  # 1 - inverse v v^H undoes a reflector
    left = result.matmul(grad.mH)
    inverse = inverses.narrow(-1, 0, 1)  # here and below: see Note [Right operands first]
    left = _reflected(left, vectors.narrow(-1, 0, 1), inverse)
    for i in range(k):
        whole, factor = vectors.narrow(-1, i, 1), tau.narrow(-1, i, 1)
        v = whole.narrow(-2, i, m - i)
        met, moved = v.mH.matmul(left.narrow(-2, i, m - i)), left.narrow(-1, i, m - i).matmul(v)
        t = factor.unsqueeze(-1)
        of_moved = (t * moved).squeeze(-1)
        of_v = (-t * met).conj().squeeze(-2) - of_moved
        of_t = (-met.narrow(-1, i, m - i).matmul(v).conj()).squeeze(-1)
        of_vectors.select(-1, i).copy_(of_v.unsqueeze(-1).squeeze(-1))
        of_tau.select(-1, i).copy_(of_t.squeeze(-1))
        if i + 1 < k:
            left = _reflected(left, vectors.narrow(-1, i + 1, 1), inverses.narrow(-1, i + 1, 1))
            adjoint = whole.mH
            left = left - left.matmul(factor.unsqueeze(-1) * whole) * adjoint
    return of_vectors.tril_(-1), of_tau


def _reflected(matrix: Tensor, v: Tensor, t: Tensor) -> Tensor:
    projected = v.mH.matmul(matrix)
    return matrix - (t.unsqueeze(-1) * v) * projected


@op(
    "LinalgHouseholderProductBackward0",
    name="linalg_householder_product",
    inputs={"input tau": lambda grad, input, tau, result: _product_backward(grad, input, tau, result)},
)
def _product(input: Array, tau: Array) -> Array:
    _check(input, tau)
    m, n = input.shape[-2:]
    found = np.array(np.broadcast_to(np.eye(m, n, dtype=input.dtype), input.shape))
    vectors = np.tril(input, -1) + np.eye(m, n, dtype=input.dtype)
    for i in reversed(range(tau.shape[-1])):
        v = vectors[..., i, None]
        found -= tau[..., i, None, None] * v @ (np.conj(np.swapaxes(v, -1, -2)) @ found)
    return columns_first(found)


def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """torch.linalg.householder_product: the first columns of a product of reflectors 1 - tau v vᴴ.

    Raises:
        RuntimeError: shapes that do not fit.
    """
    return given("linalg_householder_product", out, _product(input, tau))


orgqr = householder_product


@op(
    "GeqrfBackward0",
    name="geqrf",
    outputs="a tau",
    returns=return_types.geqrf,
    self=undefined("geqrf"),
)
def _geqrf(self: Array) -> tuple[Array, Array]:
    if self.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    kernels.refuse_without_lapack("geqrf_cpu", self)
    m, n = self.shape[-2:]
    factors, tau = np.array(self), np.zeros((*self.shape[:-2], min(m, n)), self.dtype)
    if self.size:
        routine = kernels.routine("geqrf", self)
        for place in np.ndindex(self.shape[:-2]):
            factors[place], tau[place] = routine(self[place])[:2]
    return columns_first(factors), tau


def geqrf(input: Tensor, *, out: Any = None) -> Any:
    """torch.geqrf: R above the vectors of the reflectors that make up Q."""
    return given_several("geqrf", out, _geqrf(input))
