"""torch.distributions.TransformedDistribution (torch: distributions/transformed_distribution.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._autograd.tensor import Tensor
from .._c10.modes import no_grad
from .._c10.size import Size
from . import constraints
from .distribution import NO_SHAPE, Distribution
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of a base distribution's samples after a sequence of transforms.

    Raises:
        ValueError: an argument is not a transform, or the base distribution has too few dimensions.
    """

    __module__ = "torch.distributions.transformed_distribution"
    arg_constraints: Any = {}  # noqa: RUF012 - torch's own form
    base_dist: Any
    transforms: list[Any]

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(each, Transform) for each in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        whole = ComposeTransform(transforms)
        before, after = whole.domain.event_dim, whole.codomain.event_dim
        base_shape = Size((*base_distribution.batch_shape, *base_distribution.event_shape))
        base_dim = len(base_distribution.event_shape)
        if len(base_shape) < before:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {before}, but got {base_shape}."
            )
        shape = whole.forward_shape(base_shape)
        needed = whole.inverse_shape(shape)
        if base_shape != needed:
            base_distribution = base_distribution.expand(needed[: len(needed) - base_dim])
        if before > base_dim:
            base_distribution = Independent(base_distribution, before - base_dim)
        self.base_dist = base_distribution
        cut = len(shape) - max(after, base_dim + after - before)
        super().__init__(Size(shape[:cut]), Size(shape[cut:]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        # Only the __init__ of torch's own class is skipped, not that of a subclass.
        defining = next(each for each in type(self).__mro__ if each.__module__.startswith("torch."))
        own = {
            name: each.expand(batch_shape) for name, each in vars(self).items() if isinstance(each, Tensor)
        }
        new = self._expanded(defining, _instance, batch_shape, **own)
        shape: Any = Size((*batch_shape, *self._event_shape))
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self._event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support

    @property
    def has_rsample(self) -> Any:
        return self.base_dist.has_rsample

    def _transformed(self, value: Any) -> Any:
        for transform in self.transforms:
            value = transform(value)
        return value

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Any:
        self._validate(value)
        dim = len(self._event_shape)
        found: Any = 0.0
        for transform in reversed(self.transforms):
            before = transform.inv(value)
            dim += transform.domain.event_dim - transform.codomain.event_dim
            stretched = transform.log_abs_det_jacobian(before, value)
            found = found - _sum_rightmost(stretched, dim - transform.domain.event_dim)
            value = before
        return found + _sum_rightmost(self.base_dist.log_prob(value), dim - len(self.base_dist.event_shape))
