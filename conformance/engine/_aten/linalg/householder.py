"""torch.linalg.householder_product, torch.ormqr and torch.geqrf."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._autograd.undefined_gradient import undefined
from ..._c10 import structseq
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..creation.factories import zeros_like
from ..registry import Array, op
from ..scalar_operands import minus
from . import lapack
from .checks import columns_first

_NAME = "torch.linalg.householder_product"


def _check(input: Array, tau: Array) -> None:
    """Refuse shapes and dtypes that do not fit."""
    fits = tau.shape[:-1] == input.shape[:-2] and input.shape[-2] >= input.shape[-1]
    need_fitting(fits and tau.dtype == input.dtype, _NAME)
    lapack.refuse_without_lapack("orgqr_cpu", input)


def _vectors(input: Tensor) -> Tensor:
    """The vectors of the reflectors: what is below the diagonal, and 1 on it."""
    result = input.tril(-1)
    result.diagonal(0, -2, -1).fill_(1.0)
    return result


def _product_backward(
    grad: Tensor, input: Tensor, tau: Tensor, result: Tensor, turned: bool = False
) -> tuple[Any, Any]:
    """The gradients of the reflectors, from the result and its gradient, by removing one reflector after another.

    ``turned``: the product is of adjoint reflectors in reverse order (ormqr with transpose).
    """
    if not (input._array.size and tau._array.size):
        return None, None
    vectors, of_vectors, of_tau = _vectors(input), zeros_like(input), zeros_like(tau)
    m, k = input._array.shape[-2], tau._array.shape[-1]
    first = vectors.narrow(-1, 0, k)
    inverses = tau / minus(tau * (first * first.conj()).sum(-2), 1.0)  # 1 - inverse v v^H undoes a reflector
    order = [*range(k)][:: -1 if turned else 1]
    inner = result.matmul(grad.mH)
    inverse = inverses.narrow(-1, order[0], 1)  # here and below: see Note [Right operands first]
    inner = _reflected(inner, vectors.narrow(-1, order[0], 1), inverse, not turned)
    for place, i in enumerate(order):
        whole, factor = vectors.narrow(-1, i, 1), tau.narrow(-1, i, 1)
        v = whole.narrow(-2, i, m - i)
        met, moved = v.mH.matmul(inner.narrow(-2, i, m - i)), inner.narrow(-1, i, m - i).matmul(v)
        t = factor.unsqueeze(-1)
        of_moved = (t * moved).squeeze(-1)
        of_v = (-t * met).conj().squeeze(-2) - of_moved
        of_t = (-met.narrow(-1, i, m - i).matmul(v).conj()).squeeze(-1)
        of_vectors.select(-1, i).copy_(of_v.unsqueeze(-1).squeeze(-1))
        of_tau.select(-1, i).copy_(of_t.squeeze(-1))
        if place + 1 < k:
            following = order[place + 1]
            further = vectors.narrow(-1, following, 1), inverses.narrow(-1, following, 1)
            inner = _reflected(inner, *further, not turned)
            inner = _reflected(inner, whole, factor, turned)
    return of_vectors.tril_(-1), of_tau


def _reflected(matrix: Tensor, v: Tensor, t: Tensor, left: bool) -> Tensor:
    """A matrix multiplied by a reflector from the left or the right."""
    adjoint = v.mH
    if left:
        projected = adjoint.matmul(matrix)
        return matrix - (t.unsqueeze(-1) * v) * projected
    return matrix - matrix.matmul(t.unsqueeze(-1) * v) * adjoint


@op(
    "LinalgHouseholderProductBackward0",
    name="linalg_householder_product",
    complex="as_written",
    autocast="fp32",
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


@composite(vmap="decompose", out=True)
def householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """torch.linalg.householder_product: the first columns of a product of reflectors 1 - tau v vᴴ.

    Raises:
        RuntimeError: shapes that do not fit.
    """
    return _product(input, tau)


orgqr = householder_product


# Products of all reflectors with a matrix ------------------------------------------------------------


def _check_other(input: Array, tau: Array, other: Array, left: bool) -> None:
    """Refuse shapes and dtypes that do not fit."""
    sides = other.shape[:-1] if left else (*other.shape[:-2], *other.shape[-1:])
    fits = input.shape[:-1] == sides and tau.shape == (*sides[:-1], min(input.shape[-2:]))
    need_fitting(fits and input.dtype == tau.dtype == other.dtype, "torch.ormqr")
    lapack.refuse_without_lapack("ormqr_cpu", input)


def _applied_backward(
    grad: Tensor,
    self: Tensor,
    input2: Tensor,
    result: Tensor,
    left: bool,
    transpose: bool,
    needed: list[bool],
) -> tuple[Any, Any, Any]:
    """The gradients of ormqr, as in _product_backward; gradient and result are exchanged if it is transposed."""
    of_other = _apply(self, input2, grad, left, not transpose) if needed[2] else None
    if not (needed[0] or needed[1]):
        return None, None, of_other
    turned = left == transpose
    first, second = (grad, result) if turned else (result, grad)
    if not left:
        first, second = first.mH, second.mH
    return *_product_backward(second, self, input2, first, turned), of_other


@op(
    "OrmqrBackward0",
    name="ormqr",
    complex="as_written",
    jvp="not_implemented",
    autocast="fp32",
    vmap="fallback",
    inputs={
        "self input2 input3": lambda grad, self, input2, input3, result, left, transpose, needed: (
            _applied_backward(grad, self, input2, result, left, transpose, needed)
        ),
    },
)
def _apply(self: Array, input2: Array, input3: Array, left: bool = True, transpose: bool = False) -> Array:
    """torch.ormqr: multiply a matrix by the product of all reflectors, which is on the left or on the right."""
    _check_other(self, input2, input3, left)
    m, k = self.shape[-2], input2.shape[-1]
    found = np.array(input3 if left else lapack.transposed(input3))
    vectors = (np.tril(self, -1) + np.eye(m, self.shape[-1], dtype=self.dtype))[..., :k]
    tau = np.conj(input2) if left == transpose else input2
    for i in range(k) if left == transpose else reversed(range(k)):
        v = vectors[..., i, None]
        found -= tau[..., i, None, None] * v @ (lapack.transposed(v) @ found)
    return columns_first(found if left else lapack.transposed(found))


ormqr = _apply


@op(
    "GeqrfBackward0",
    name="geqrf",
    outputs="a tau",
    returns=structseq.geqrf,
    jvp="not_implemented",
    autocast="fp32",
    vmap="front",
    self=undefined("geqrf"),
)
def _geqrf(self: Array) -> tuple[Array, Array]:
    if self.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    lapack.refuse_without_lapack("geqrf_cpu", self)
    m, n = self.shape[-2:]
    factors, tau = np.array(self), np.zeros((*self.shape[:-2], min(m, n)), self.dtype)
    if self.size:
        routine = lapack.routine("geqrf", self)
        for place in np.ndindex(self.shape[:-2]):
            factors[place], tau[place] = routine(self[place])[:2]
    return columns_first(factors), tau


@composite(vmap="decompose", out=None)
def geqrf(input: Tensor) -> Any:
    """torch.geqrf: R in the upper triangle, the vectors of Q's reflectors below it, and tau."""
    return _geqrf(input)
