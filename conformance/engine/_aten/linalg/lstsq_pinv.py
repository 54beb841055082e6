"""torch.linalg.pinv, lstsq and matrix_exp."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes, errors, structseq
from ..._c10.errors import need_fitting
from ..._c10.modes import state
from ..._c10.operator_facts import composite
from ..._c10.shapes import broadcast_shapes
from ..blas.matmul import matmul
from ..pointwise.where_clamp import where
from ..registry import Array, op
from ..scalar_operands import times
from .checks import columns_first, floating, square
from .decompositions import eigh, svd
from .norms import need_epsilon, threshold
from .solve import is_vector

# Pseudoinverse ------------------------------------------------------------------------------------


def _pinv_backward(grad: Tensor, inverse: Tensor, self: Tensor) -> Tensor:
    m, n = self._array.shape[-2:]
    inverse_h, grad_h = inverse.mH, grad.mH
    if m <= n:
        k = grad_h.matmul(inverse)
        k_inverse = k.matmul(inverse_h)
        last = (inverse_h.matmul(inverse)).matmul(grad_h - k.matmul(self))  # see Note [Right operands first]
        third = (self.matmul(inverse)).matmul(k_inverse)
        return -(inverse.matmul(k)).mH + k_inverse - third + last
    k = inverse.matmul(grad_h)
    inverse_k = inverse_h.matmul(k)
    last = (inverse_k.matmul(inverse)).matmul(self)
    second = (grad_h - self.matmul(k)).matmul(inverse).matmul(inverse_h)
    return -(k.matmul(inverse)).mH + second + inverse_k - last


@op(
    "LinalgPinvBackward0",
    name="_linalg_pinv",
    complex="as_written",
    self=lambda grad, result, self: _pinv_backward(grad, result, self),
)
def _pinv(self: Array, found: Any) -> Array:
    return found._array


@composite(out=True)
def pinv(
    A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Tensor:
    """torch.linalg.pinv: the pseudoinverse; singular values below a tolerance are treated as zero."""
    array = A._array
    if atol is not None and rtol is None and rcond is None:
        need_epsilon(A)
    need_fitting(A.dtype.to_real().numpy in dtypes.FULL_PRECISION, "linalg.pinv")
    if rcond is not None:
        rtol = rcond
    for name, limit in (("atol", atol), ("rtol", rtol)):
        if isinstance(limit, Tensor) and limit.requires_grad and state.recording:
            raise RuntimeError(errors.NOT_DIFFERENTIABLE.format("linalg_pinv", name))
    a = A.detach()
    if not array.size:
        result = matmul(a.mT.detach(), a.new_zeros((*array.shape[:-2], array.shape[-2], array.shape[-2])))
    elif hermitian:
        values, vectors = eigh(a)
        least = threshold(values.abs(), a, atol, rtol).unsqueeze(-1)
        inverse = where(values.abs() > least, values.reciprocal(), 0)
        result = matmul(vectors * inverse.unsqueeze(-2), vectors.mH)
    else:
        u, s, vh = svd(a, False)
        least = threshold(s, a, atol, rtol).unsqueeze(-1)
        inverse = where(s > least, s.reciprocal(), 0)
        result = matmul(vh.mH * inverse.unsqueeze(-2), u.mH)
    return _pinv(A, result)


# Least squares ------------------------------------------------------------------------------------


def _lstsq_backward(grads: Any, self: Tensor, b: Tensor, solution: Tensor, needed: Any) -> Any:
    of_solution, of_residuals = grads[0], grads[1] if len(grads) > 1 else None
    vector = is_vector(self._array.shape, b._array.shape)
    right = b.unsqueeze(-1) if vector else b
    to_a = to_b = None
    if of_solution is not None:
        wide = of_solution.unsqueeze(-1) if vector else of_solution
        inverse = pinv(self)
        if needed[0]:
            to_a = _pinv_backward(wide.matmul(right.mH), inverse, self)
        if needed[1]:
            to_b = inverse.mH.matmul(wide)
    if of_residuals is not None and of_residuals._array.size:
        result = solution.unsqueeze(-1) if vector else solution
        away, residuals = self.matmul(result) - right, of_residuals.unsqueeze(-2)
        if needed[0]:
            part = times((residuals * away).matmul(result.mH), 2)
            to_a = part if to_a is None else to_a + part
        if needed[1]:
            part = times(residuals, -2) * away
            to_b = part if to_b is None else to_b + part
    return to_a, to_b.squeeze(-1) if vector and to_b is not None else to_b


_RESULTS = ("solution", "solution", "rank", "singular_values")  # as error messages name them


@op(
    "LinalgLstsqBackward0",
    name="linalg_lstsq",
    outputs="solution residuals rank singular_values",
    constants="singular_values",
    returns=structseq.linalg_lstsq,
    complex="as_written",
    autocast="fp32",
    inputs={"self b": _lstsq_backward},
)
def _lstsq(self: Array, b: Array, rcond: Any = None, driver: Any = None) -> tuple[Array, ...]:
    vector = is_vector(self.shape, b.shape)
    right = b[..., None] if vector else b
    m, n = self.shape[-2:]
    batch = broadcast_shapes(self.shape[:-2], right.shape[:-2])
    a, right = np.broadcast_to(self, (*batch, m, n)), np.broadcast_to(right, (*batch, m, right.shape[-1]))
    need_fitting(np.isfinite(a).all() and np.isfinite(right).all(), "linalg.lstsq")
    cut = dtypes.float_limits(self.dtype).eps * max(m, n) if rcond is None else float(rcond)
    rows = columns_first(
        np.zeros((*batch, max(m, n), right.shape[-1]), self.dtype)
    )  # LAPACK's right-hand side
    solution = rows[..., :n, :]
    real = self.real.dtype
    own = self.shape[:-2]  # rank and singular values have the batch shape of A alone
    rank, values = np.zeros(own, np.int64), np.zeros((*own, min(m, n)), real)
    for place in np.ndindex(batch):
        if a[place].size and right.shape[-1]:
            of_a = tuple(min(i, k - 1) for i, k in zip(place[len(batch) - len(own) :], own, strict=True))
            solution[place], _, rank[of_a], values[of_a] = np.linalg.lstsq(a[place], right[place], cut)
    residuals = np.zeros(0, real)
    if m > n and driver != "gelsy" and (rank == n).all():
        residuals = np.square(np.abs(np.matmul(a, solution) - right)).sum(-2)
    if driver == "gels":
        rank = np.zeros(0, np.int64)
    if driver in ("gels", "gelsy"):
        values = np.zeros(0, real)
    return solution[..., 0] if vector else solution, residuals, rank, values


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@composite(vmap="decompose", out=None)
def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: str | None = None) -> Any:
    """torch.linalg.lstsq: the X that minimizes the norm of A X - B."""
    a, b = A._array.shape, B._array.shape
    fits = len(a) == len(b) + is_vector(a, b) and a[-2] == b[len(a) - 2]
    need_fitting(fits and driver in (None, *_DRIVERS) and A.dtype is B.dtype, "linalg.lstsq")
    need_epsilon(A)
    return _lstsq(A, B, rcond, driver or "gelsy")


# The exponential ----------------------------------------------------------------------------------


def _exponential_backward(self: Tensor, grad: Tensor) -> Tensor:
    """The upper right block of the exponential of [[A^H, G], [0, A^H]]."""
    n = self._array.shape[-1]
    turned = self.mH
    both = make(np.zeros((*self._array.shape[:-2], 2 * n, 2 * n), grad._array.dtype))
    both.narrow(-2, 0, n).narrow(-1, 0, n).copy_(turned)
    both.narrow(-2, n, n).narrow(-1, n, n).copy_(turned)
    both.narrow(-2, 0, n).narrow(-1, n, n).copy_(grad)
    return matrix_exp(both).narrow(-2, 0, n).narrow(-1, n, n)


@op(
    "LinalgMatrixExpBackward0",
    name="linalg_matrix_exp",
    complex="as_written",
    tangent_writes=1,
    self=_exponential_backward,
)
def _matrix_exp(self: Array) -> Array:
    square("linalg.matrix_exp", self)
    from scipy.linalg import expm  # slow to import

    floating("linalg.matrix_exp", self, False)
    return (
        np.asarray(expm(self.astype(np.promote_types(self.dtype, np.float32))), self.dtype)
        if self.size
        else self.copy()
    )


@composite(vmap="decompose")
def matrix_exp(A: Tensor) -> Tensor:
    """torch.linalg.matrix_exp."""
    return _matrix_exp(A)
