"""torch.distributions.MultivariateNormal (torch: distributions/multivariate_normal.py)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .._aten.creation.factories import eye
from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from ..linalg import cholesky, solve_triangular
from . import constraints
from .distribution import NO_SHAPE, Distribution
from .utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]

_matmul = FUNCTIONS["matmul"]
_broadcast_shapes = FUNCTIONS["broadcast_shapes"]


def _batch_mahalanobis(scale: Tensor, difference: Tensor) -> Tensor:
    """Squared Mahalanobis distances (...) of vectors (..., n) for Cholesky factors (..., n, n).

    As in torch, vectors that share a factor are solved together.
    """
    n = difference.size(-1)
    batch, factors = difference.shape[:-1], scale.shape[:-2]
    outer = len(batch) - len(factors)
    shape = [*batch[:outer]]
    for of_scale, of_vector in zip(factors, batch[outer:], strict=True):
        shape += (of_vector // of_scale, of_scale)
    inner = range(outer, outer + 2 * len(factors), 2)
    order = [*range(outer), *inner, *(each + 1 for each in inner)]
    vectors = difference.reshape((*shape, n)).permute([*order, len(order)])
    flat_scale = scale.reshape(-1, n, n)
    flat = vectors.reshape(-1, flat_scale.size(0), n).permute(1, 2, 0)
    lengths = solve_triangular(flat_scale, flat, upper=False).pow(2).sum(-2).t()
    back = [*range(outer)]
    for each in range(len(factors)):
        back += (outer + each, outer + len(factors) + each)
    return lengths.reshape(vectors.shape[:-1]).permute(back).reshape(batch)


def _precision_to_scale_tril(matrix: Tensor) -> Tensor:
    """The Cholesky factors of the inverses of matrices."""
    upper = cholesky(matrix.flip((-2, -1))).flip((-2, -1)).transpose(-2, -1)
    unit = eye(matrix.shape[-1], dtype=matrix.dtype)
    return solve_triangular(upper, unit, upper=False)


SCALE_TRIL_OF: dict[str, Callable[[Tensor], Tensor]] = {
    "covariance_matrix": cholesky,
    "precision_matrix": _precision_to_scale_tril,
    "scale_tril": lambda matrix: matrix,
}
"""The functions that compute the Cholesky factor of the covariance from each argument."""


class MultivariateNormal(Distribution):
    """Multivariate normal with ``loc`` (..., n) and a covariance, precision or Cholesky factor (..., n, n)."""

    __module__ = "torch.distributions.multivariate_normal"
    arg_constraints = {  # noqa: RUF012 - torch's own form
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    _unbroadcasted_scale_tril: Tensor

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = {
            "covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril,
        }  # fmt: skip
        given = [(name, each) for name, each in matrices.items() if each is not None]
        if len(given) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        ((name, matrix),) = given
        if matrix.dim() < 2:
            what = f"{name} matrix" if name == "scale_tril" else name
            raise ValueError(
                f"{what} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch = _broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch, -1, -1)))
        self.loc = loc.expand((*batch, -1))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = SCALE_TRIL_OF[name](matrix)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        n = self._event_shape[0]
        own = {name: vars(self)[name] for name in SCALE_TRIL_OF if name in vars(self)}
        parameters = {"loc": self.loc.expand((*batch_shape, n))}
        parameters |= {name: each.expand((*batch_shape, n, n)) for name, each in own.items()}
        new = self._expanded(MultivariateNormal, _instance, batch_shape, **parameters)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return new

    @property
    def _shape(self) -> tuple[int, ...]:
        return (*self._batch_shape, *self._event_shape, *self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._unbroadcasted_scale_tril.expand(self._shape)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        scale = self._unbroadcasted_scale_tril
        return _matmul(scale, scale.mT).expand(self._shape)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return self._unbroadcasted_scale_tril.cholesky_inverse().expand(self._shape)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        shape = (*self._batch_shape, *self._event_shape)
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(shape)

    @property
    def _half_log_det(self) -> Tensor:
        """Half of the covariance's log determinant."""
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        drawn = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + _matmul(self._unbroadcasted_scale_tril, drawn.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        squares = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half_log_det = self._half_log_det
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + squares) - half_log_det

    def entropy(self) -> Tensor:
        found = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det
        return found.expand(self._batch_shape) if self._batch_shape else found
