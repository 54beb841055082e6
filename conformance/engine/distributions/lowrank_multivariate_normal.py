"""torch.distributions.LowRankMultivariateNormal (torch: distributions/lowrank_multivariate_normal.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from ..linalg import cholesky, solve_triangular
from . import constraints
from .distribution import NO_SHAPE, Distribution
from .multivariate_normal import _batch_mahalanobis
from .utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]

_diag_embed, _matmul = FUNCTIONS["diag_embed"], FUNCTIONS["matmul"]


def _with_unit(matrix: Tensor) -> Tensor:
    """The Cholesky factor of a matrix plus the identity."""
    n = matrix.size(-1)
    matrix = matrix.contiguous()
    matrix.view((-1, n * n))[:, :: n + 1] += 1
    return cholesky(matrix)


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    return _matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


class LowRankMultivariateNormal(Distribution):
    """Multivariate normal with ``loc`` (..., n) and covariance ``cov_factor @ cov_factor.T + diag(cov_diag)``.

    The factor has shape (..., n, rank), the diagonal (..., n).

    Note [Few vectors]: determinant and inverse of W @ W.T + D follow from the Cholesky factor of the small matrix
    I + W.T @ D**-1 @ W (Woodbury's identity).

    Raises:
        ValueError: the shapes do not match.
    """

    __module__ = "torch.distributions.lowrank_multivariate_normal"
    arg_constraints = {  # noqa: RUF012 - torch's own form
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True
    _unbroadcasted_cov_factor: Tensor
    _unbroadcasted_cov_diag: Tensor
    _capacitance_tril: Tensor
    """The Cholesky factor of the small matrix, see Note [Few vectors]."""

    def __init__(
        self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch dimensions"
            )
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        columns = loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1)
        try:
            means, self.cov_factor, diagonal = FUNCTIONS["broadcast_tensors"](*columns)
        except RuntimeError as error:
            shapes = f"loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            raise ValueError(f"Incompatible batch shapes: {shapes}") from error
        self.loc, self.cov_diag = means[..., 0], diagonal[..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = _with_unit(_matmul(self._weighted(), cov_factor))
        super().__init__(self.loc.shape[:-1], event, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        shape = (*batch_shape, *self._event_shape)
        own = {
            "loc": self.loc.expand(shape),
            "cov_diag": self.cov_diag.expand(shape),
            "cov_factor": self.cov_factor.expand((*shape, *self.cov_factor.shape[-1:])),
        }
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            own[name] = getattr(self, name)
        return self._expanded(LowRankMultivariateNormal, _instance, batch_shape, **own)

    def _weighted(self) -> Tensor:
        """W.T @ D**-1."""
        return self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)

    def _of_matrix(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @property
    def mean(self) -> Tensor:
        return self.loc

    mode = mean

    @lazy_property
    def variance(self) -> Tensor:
        found = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return found.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Tensor:
        # D**0.5 times the factor of I + D**-0.5 @ W @ W.T @ D**-0.5, whose eigenvalues are at least 1
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._of_matrix(root * _with_unit(_matmul(scaled, scaled.mT)))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_cov_factor
        return self._of_matrix(_matmul(factor, factor.mT) + _diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        solved = solve_triangular(self._capacitance_tril, self._weighted(), upper=False)
        return self._of_matrix(
            _diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - _matmul(solved.mT, solved)
        )

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        shape, kind = self._extended_shape(sample_shape), self.loc.dtype
        of_factor = _standard_normal(type(shape)((*shape[:-1], *self.cov_factor.shape[-1:])), kind)
        of_diagonal = _standard_normal(shape, kind)
        factored = self.loc + _times(self._unbroadcasted_cov_factor, of_factor)
        return factored + self._unbroadcasted_cov_diag.sqrt() * of_diagonal

    def _log_det(self) -> Tensor:
        """The log determinant of the covariance."""
        small = 2 * self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return small + self._unbroadcasted_cov_diag.log().sum(-1)

    def _squares(self, difference: Tensor) -> Tensor:
        """Squared Mahalanobis distances."""
        weighted = _times(self._weighted(), difference)
        plain = (difference.pow(2) / self._unbroadcasted_cov_diag).sum(-1)
        return plain - _batch_mahalanobis(self._capacitance_tril, weighted)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        squares = self._squares(value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + squares)

    def entropy(self) -> Tensor:
        found = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return found.expand(self._batch_shape) if self._batch_shape else found
