"""Eigenvalues of any square matrix: complex, and so without derivatives here."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from .. import dtypes, return_types
from ..out import given, given_several
from ..rows import Array, op
from ..tensor import Tensor
from .checks import columns_first, square


def _refuse(grads: Any) -> NoReturn:
    raise NotImplementedError("the derivative of torch.linalg.eig: gradients of complex numbers")


@op(
    "LinalgEigBackward0",
    name="linalg_eig",
    outputs="eigenvalues eigenvectors",
    returns=return_types.linalg_eig,
    self=lambda grads: _refuse(grads),
)
def _eig(self: Array, name: str) -> tuple[Array, Array]:
    kind = dtypes.BY_NUMPY[self.dtype]
    square(name, self)
    if not kind.is_floating_point and not kind.is_complex:
        raise RuntimeError(f"Unknown Complex ScalarType for {kind.legacy}")
    if self.dtype == np.float16:
        raise NotImplementedError("\"linalg_eig_out_cpu\" not implemented for 'Half'")
    if not np.isfinite(self).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    values, vectors = np.linalg.eig(self)
    target = kind.to_complex().numpy
    return values.astype(target), columns_first(vectors.astype(target))


def eig(A: Tensor, *, out: Any = None) -> Any:
    """torch.linalg.eig: eigenvalues and eigenvectors, as complex numbers."""
    found = _eig(A, "linalg.eig")
    return given_several("linalg_eig", out, found)


def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """torch.linalg.eigvals: the eigenvalues alone, as complex numbers."""
    return given("linalg_eigvals", out, _eig(A, "linalg.eigvals")[0])
