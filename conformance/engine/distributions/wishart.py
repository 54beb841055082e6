"""torch.distributions.Wishart (torch: distributions/wishart.py)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from .._aten.creation.factories import eye
from .._aten.creation.from_data import tensor
from .._aten.creation.ranges import arange
from .._aten.operators import FUNCTIONS
from .._aten.random.random import randn
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.size import Size
from ..linalg import slogdet
from . import constraints
from .chi2 import Chi2
from .distribution import NO_SHAPE
from .exp_family import ExponentialFamily
from .multivariate_normal import SCALE_TRIL_OF, only_matrix
from .utils import NUMBER, lazy_property

__all__ = ["Wishart"]

_matmul = FUNCTIONS["matmul"]
_EXPANDED = ("covariance_matrix", "scale_tril", "precision_matrix")
_TRIES = 10


class Wishart(ExponentialFamily):
    """The Wishart distribution with ``df`` degrees of freedom and a covariance, precision or Cholesky factor (..., n, n).

    Raises:
        AssertionError: not exactly one matrix is given.
        ValueError: the matrix has fewer than two dimensions, or ``df`` is too small.
    """

    __module__ = "torch.distributions.wishart"
    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _unbroadcasted_scale_tril: Tensor
    df: Tensor

    @property
    def arg_constraints(self) -> Any:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = only_matrix(
            AssertionError,
            covariance_matrix=covariance_matrix,
            precision_matrix=precision_matrix,
            scale_tril=scale_tril,
        )
        if matrix.dim() < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch dimensions"
            )
        if isinstance(df, NUMBER):
            batch = Size(matrix.shape[:-2])
            self.df = tensor(df, dtype=matrix.dtype)
        else:
            batch = FUNCTIONS["broadcast_shapes"](matrix.shape[:-2], df.shape)
            self.df = df.expand(batch)
        event = matrix.shape[-2:]
        if self.df.le(event[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event[-1] - 1}.")
        setattr(self, name, matrix.expand((*batch, -1, -1)))
        if self.df.lt(event[-1]).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch, event, validate_args=validate_args)
        self._unbroadcasted_scale_tril = SCALE_TRIL_OF[name](matrix)
        self._dist_chi2 = self._squares()

    def _squares(self) -> Chi2:
        """The distribution of the squared diagonal of a standard sample's Cholesky factor."""
        lost = arange(self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype)
        return Chi2(df=self.df.unsqueeze(-1) - lost.expand((*self._batch_shape, -1)))

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        shape = (*batch_shape, *self._event_shape)
        own = {
            "_unbroadcasted_scale_tril": self._unbroadcasted_scale_tril.expand(shape),
            "df": self.df.expand(batch_shape),
        }
        own |= {name: vars(self)[name].expand(shape) for name in _EXPANDED if name in vars(self)}
        new = self._expanded(Wishart, _instance, batch_shape, **own)
        new._dist_chi2 = new._squares()
        return new

    @property
    def _shape(self) -> tuple[int, ...]:
        return (*self._batch_shape, *self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._unbroadcasted_scale_tril.expand(self._shape)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        scale = self._unbroadcasted_scale_tril
        return _matmul(scale, scale.transpose(-2, -1)).expand(self._shape)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        scale = self._unbroadcasted_scale_tril
        unit = eye(self._event_shape[-1], dtype=scale.dtype)
        return unit.cholesky_solve(scale).expand(self._shape)

    def _for_matrices(self, numbers: Tensor) -> Tensor:
        return numbers.view((*self._batch_shape, 1, 1))

    @property
    def mean(self) -> Tensor:
        return self._for_matrices(self.df) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = math.nan
        return self._for_matrices(factor) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        df, squares = self._for_matrices(self.df), covariance.pow(2)
        return df * (squares + FUNCTIONS["einsum"]("...i,...j->...ij", diagonal, diagonal))

    def _bartlett(self, sample_shape: Any) -> Tensor:
        """Sample Cholesky factors by Bartlett's decomposition."""
        n = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = roots.clamp(min=dtypes.finfo(roots.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = FUNCTIONS["tril_indices"](n, n, offset=-1)
        shape = Size((*sample_shape, *self._batch_shape, n * (n - 1) // 2))
        noise[..., i, j] = randn(shape, dtype=noise.dtype)
        lower = _matmul(self._unbroadcasted_scale_tril, noise)
        return _matmul(lower, lower.transpose(-2, -1))

    def _over_batch(self, checked: Tensor) -> Tensor:
        dims = [-1 - dim for dim in range(len(self._batch_shape))]
        return checked.amax(dims) if dims else checked

    def rsample(
        self, sample_shape: Sequence[int] = NO_SHAPE, max_try_correction: int | None = None
    ) -> Tensor:
        """As in torch, the first pass redraws samples that are *not* singular."""
        sample = self._bartlett(Size(sample_shape))
        again = self._over_batch(self.support.check(sample))
        if not again.any():
            return sample
        warnings.warn("Singular sample detected.", stacklevel=2)
        for _ in range(_TRIES if max_try_correction is None else max_try_correction):
            new = self._bartlett(again[again].shape)
            sample[again] = new
            again[again.clone()] = self._over_batch(~self.support.check(new))
            if not again.any():
                break
        return sample

    def _log_scale(self) -> Tensor:
        """Half of the log determinant of twice the covariance."""
        diagonal = self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1)
        return self._event_shape[-1] * math.log(2) / 2 + diagonal.log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        df, n = self.df, self._event_shape[-1]
        density = (
            -df * self._log_scale() - (df / 2).mvlgamma(p=n) + (df - n - 1) / 2 * slogdet(value).logabsdet
        )
        solved = value.cholesky_solve(self._unbroadcasted_scale_tril)
        return density - solved.diagonal(dim1=-2, dim2=-1).sum(dim=-1) / 2

    def entropy(self) -> Tensor:
        df, n = self.df, self._event_shape[-1]
        normalizer = (n + 1) * self._log_scale() + (df / 2).mvlgamma(p=n)
        return normalizer - (df - n - 1) / 2 * _mvdigamma(df / 2, n) + df * n / 2

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        n = self._event_shape[-1]
        shape = y + (n + 1) / 2
        log = -slogdet(-2 * x).logabsdet + math.log(2) * n
        return shape * log + (y + (n + 1) / 2).mvlgamma(p=n)


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    halves = arange(p, dtype=x.dtype).div(2).expand((*x.shape, -1))
    return (x.unsqueeze(-1) - halves).digamma().sum(-1)
