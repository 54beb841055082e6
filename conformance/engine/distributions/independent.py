"""torch.distributions.Independent (torch: distributions/independent.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._autograd.tensor import Tensor
from .._c10.size import Size
from . import constraints
from .distribution import NO_SHAPE, Distribution
from .utils import _sum_rightmost

__all__ = ["Independent"]


class Independent(Distribution):
    """A distribution with some of the last batch dimensions reinterpreted as event dimensions."""

    __module__ = "torch.distributions.independent"
    arg_constraints: Any = {}  # noqa: RUF012 - torch's own form

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch, event = base_distribution.batch_shape, base_distribution.event_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(batch)}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        kept = len(batch) - reinterpreted_batch_ndims
        super().__init__(batch[:kept], Size((*batch[kept:], *event)), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._expanded(Independent, _instance, batch_shape)
        new.base_dist = self.base_dist.expand(
            Size((*batch_shape, *self._event_shape[: self.reinterpreted_batch_ndims]))
        )
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        return new

    @property
    def has_rsample(self) -> Any:
        return self.base_dist.has_rsample

    @constraints.dependent_property
    def support(self) -> Any:
        found = self.base_dist.support
        ndims = self.reinterpreted_batch_ndims
        return constraints.independent(found, ndims) if ndims else found

    @property
    def mean(self) -> Any:
        return self.base_dist.mean

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Any:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
