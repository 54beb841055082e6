"""torch.distributions.MixtureSameFamily (torch: distributions/mixture_same_family.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._autograd.tensor import Tensor
from .._c10.modes import no_grad
from .._c10.size import Size
from . import constraints
from .categorical import Categorical
from .distribution import NO_SHAPE, Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture of k components, the last batch dimension of ``component_distribution``, chosen by a Categorical."""

    __module__ = "torch.distributions.mixture_same_family"
    arg_constraints: Any = {}  # noqa: RUF012 - torch's own form

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of torch.distributions.Distribution"
            )
        picked, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for ours, theirs in zip(reversed(picked), reversed(batch), strict=False):
            if ours != 1 and theirs not in (1, ours):
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({picked}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        count, components = (
            mixture_distribution.logits.shape[-1],
            component_distribution.batch_shape[-1],
        )
        if count != components:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
                f"({components})"
            )
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        event = component_distribution.event_shape
        super().__init__(batch, event, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._expanded(MixtureSameFamily, _instance, batch_shape)
        count = self.component_distribution.batch_shape[-1]
        new.component_distribution = self.component_distribution.expand(Size((*batch_shape, count)))
        new.mixture_distribution = self.mixture_distribution.expand(Size(batch_shape))
        return new

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self.component_distribution.support)

    @property
    def mean(self) -> Any:
        return (self._probs() * self.component_distribution.mean).sum(self._component_dim())

    @property
    def variance(self) -> Any:
        components, dim, probs = self.component_distribution, self._component_dim(), self._probs()
        within = (probs * components.variance).sum(dim)
        between = (probs * (components.mean - self._pad(self.mean)).pow(2.0)).sum(dim)
        return within + between

    def log_prob(self, x: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(x)
        of_each = self.component_distribution.log_prob(self._pad(x))
        return (of_each + self.mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def sample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Any:
        with no_grad():
            dim, event = len(sample_shape) + len(self._batch_shape), self._event_shape
            picked = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            where = picked.reshape((*picked.shape, *[1] * (len(event) + 1)))
            where = where.repeat((*[1] * picked.dim(), 1, *event))
            return drawn.gather(dim, where).squeeze(dim)

    def _component_dim(self) -> int:
        return -1 - len(self._event_shape)

    def _pad(self, value: Tensor) -> Tensor:
        """A value with a new dimension for the components."""
        return value.unsqueeze(self._component_dim())

    def _probs(self) -> Tensor:
        """The mixture probabilities, expanded to the dimensions of component values."""
        probs = self.mixture_distribution.probs
        picked = len(self.mixture_distribution.batch_shape)
        missing = 0 if picked == 1 else len(self._batch_shape) - picked
        shape = probs.shape
        return probs.reshape((*shape[:-1], *[1] * missing, shape[-1], *[1] * len(self._event_shape)))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
