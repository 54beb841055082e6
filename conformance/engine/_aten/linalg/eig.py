"""torch.linalg.eig and eigvals: complex eigenvalues of general square matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10 import dtypes, structseq
from ..._c10.operator_facts import Out, composite
from ..registry import Array, op
from . import lapack
from .checks import columns_first, square
from .decompositions import GAUGE, depends_on_phase, pairwise_differences
from .solve import solve


def _eig_backward(grads: Any, L: Tensor, V: Tensor) -> Tensor:
    """torch's linalg_eig_backward; the norms of the eigenvectors are constant."""
    grad_values, grad_vectors = grads
    if grad_vectors is None:
        adjoint = V.mH  # here and below: see Note [Right operands first]
        right = grad_values.unsqueeze(-1) * adjoint
        return solve(V.mH, right)
    VhgV = V.mH.matmul(grad_vectors)
    if depends_on_phase(VhgV):
        raise RuntimeError(GAUGE.format("linalg_eig_backward", "eigenvectors", "quantity, so it is"))
    lengths = VhgV.diagonal(0, -2, -1).real.unsqueeze(-2)
    along = V * lengths
    result = VhgV - V.mH.matmul(along)
    result = result.div_(pairwise_differences(L.conj()))
    if grad_values is not None:
        result.diagonal(0, -2, -1).copy_(grad_values)
    right = result.matmul(V.mH)
    return solve(V.mH, right)


@op(
    "LinalgEigBackward0",
    name="linalg_eig",
    outputs="eigenvalues eigenvectors",
    returns=structseq.linalg_eig,
    complex="as_written",
    autocast="fp32",
    vmap="front",
    self=lambda grads, eigenvalues, eigenvectors: _eig_backward(grads, eigenvalues, eigenvectors),
)
def _eig(self: Array, name: str) -> tuple[Array, Array]:
    square(name, self)
    lapack.refuse_without_lapack("linalg_eig_out_cpu", self)
    if not np.isfinite(self).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    values, vectors = np.linalg.eig(self)
    target = dtypes.BY_NUMPY[self.dtype].to_complex().numpy
    return values.astype(target), columns_first(vectors.astype(target))


@composite(vmap="decompose", out=None)
def eig(A: Tensor) -> Any:
    """torch.linalg.eig: eigenvalues and eigenvectors, as complex numbers."""
    return _eig(A, "linalg.eig")


@composite(
    vmap="decompose",
    autocast="fp32",
    out=Out(operator="aten::linalg_eigvals"),
)
def eigvals(A: Tensor) -> Tensor:
    """torch.linalg.eigvals: the eigenvalues alone, as complex numbers."""
    return _eig(A, "linalg.eigvals")[0]
