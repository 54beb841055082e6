"""Distributions of gamma variables (torch/distributions: gamma.py, chi2.py, studentT.py, dirichlet.py, beta.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import draws, dtypes, formats
from ..autograd.function import Function, once_differentiable
from ..errors import unimplemented
from ..from_data import as_tensor, tensor
from ..nn.functions.embedding import one_hot
from ..ops import FUNCTIONS
from ..ops.kernels import need_floats
from ..ops.undefined import undefined, unsupported
from ..random import default_generator
from ..rows import Array, op
from ..size import Size
from ..tensor import Tensor, wrap
from . import constraints, sample_gradients
from .distribution import NO_SHAPE, Broadcast, Distribution, ExponentialFamily
from .utils import NUMBER, _standard_normal, broadcast_all

_stack, _xlogy = FUNCTIONS["stack"], FUNCTIONS["xlogy"]


@op("StandardGammaGradBackward0", name="_standard_gamma_grad", self=undefined("_standard_gamma_grad"))
def _standard_gamma_grad(self: Array, output: Tensor) -> Array:
    return sample_gradients.of_gamma(self, output._array)


@op(
    "StandardGammaBackward0",
    name="_standard_gamma",
    jvp="not_implemented",
    self=lambda grad, self, result: grad * _standard_gamma_grad(self, result),
)
def _standard_gamma(self: Array, generator: Any = None) -> Array:
    return draws.gamma(default_generator if generator is None else generator, self)


@op("NotImplemented", name="_sample_dirichlet", self=unsupported("_sample_dirichlet"))
def _sample_dirichlet(self: Array, generator: Any = None) -> Array:
    return _dirichlet(self, generator)


def _dirichlet(concentration: Array, generator: Any = None) -> Array:
    need_floats("dirichlet", concentration)
    if dtypes.is_half(concentration.dtype):
        raise unimplemented("dirichlet", concentration.dtype)
    return draws.dirichlet(default_generator if generator is None else generator, concentration)


class Gamma(Broadcast, ExponentialFamily):
    """Of shape ``concentration``; the waiting time for so many events that come at ``rate``."""

    __module__ = "torch.distributions.gamma"
    arg_constraints: Any = {"concentration": constraints.positive, "rate": constraints.positive}  # noqa: RUF012 - torch's
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    concentration: Tensor
    rate: Tensor

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(validate_args, concentration=concentration, rate=rate)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = _standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=dtypes.finfo(value.dtype).tiny)  # as if it had been drawn so
        return value

    def log_prob(self, value: Any) -> Tensor:
        value = as_tensor(value, dtype=self.rate.dtype)
        self._validate(value)
        scaled = self.concentration.xlogy(self.rate) + (self.concentration - 1).xlogy(value)
        return scaled - self.rate * value - self.concentration.lgamma()

    def cdf(self, value: Tensor) -> Tensor:
        self._validate(value)
        return FUNCTIONS["igamma"](self.concentration, self.rate * value)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape - self.rate.log() + shape.lgamma() + (1.0 - shape) * shape.digamma()


class Chi2(Gamma):
    """The sum of ``df`` squares of standard normal variables."""

    __module__ = "torch.distributions.chi2"
    arg_constraints: Any = {"df": constraints.positive}  # noqa: RUF012 - torch's own form

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """Degrees of freedom."""
        return self.concentration * 2


class StudentT(Distribution):
    """A normal variable by the root of a `Chi2` over its ``df``; around ``loc`` and as wide as ``scale``."""

    __module__ = "torch.distributions.studentT"
    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        own = {name: getattr(self, name).expand(batch_shape) for name in ("df", "loc", "scale")}
        new = self._expanded(StudentT, _instance, batch_shape, **own)
        new._chi2 = self._chi2.expand(batch_shape)
        return new

    @property
    def mean(self) -> Tensor:
        mean = self.loc.clone(memory_format=formats.contiguous_format)
        mean[self.df <= 1] = math.nan
        return mean

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        found, finite = self.df.clone(memory_format=formats.contiguous_format), self.df > 2
        found[finite] = self.scale[finite].pow(2) * self.df[finite] / (self.df[finite] - 2)
        found[(self.df <= 2) & (self.df > 1)] = math.inf
        found[self.df <= 1] = math.nan
        return found

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        drawn = _standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        return self.loc + self.scale * (drawn * (self._chi2.rsample(sample_shape) / self.df).rsqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        y = (value - self.loc) / self.scale
        scaled = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        normalizer = scaled + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1.0)).lgamma()
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - normalizer

    def entropy(self) -> Tensor:
        df = self.df
        log_beta = (0.5 * df).lgamma() + math.lgamma(0.5) - (0.5 * (df + 1)).lgamma()
        log_scale = self.scale.log()
        slopes = 0.5 * (df + 1) * ((0.5 * (df + 1)).digamma() - (0.5 * df).digamma())
        return log_scale + slopes + 0.5 * df.log() + log_beta


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Any:
        x = wrap(_dirichlet(concentration._array))
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        x, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        slope = wrap(sample_gradients.of_dirichlet(x._array, concentration._array, total._array))
        return slope * (grad_output - (x * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """Shares of gamma variables of shapes ``concentration`` in their sum."""

    __module__ = "torch.distributions.dirichlet"
    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}  # noqa: RUF012 - torch's own form
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(Size(shape[:-1]), Size(shape[-1:]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        expanded = self.concentration.expand((*batch_shape, *self._event_shape))
        return self._expanded(Dirichlet, _instance, batch_shape, concentration=expanded)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        at_corners = (self.concentration < 1).all(dim=-1)
        mode[at_corners] = one_hot(mode[at_corners].argmax(dim=-1), above.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        weighted = (self.concentration - 1.0).xlogy(value).sum(-1)
        return weighted + self.concentration.sum(-1).lgamma() - self.concentration.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        count, total = self.concentration.size(-1), self.concentration.sum(-1)
        spread = self.concentration.lgamma().sum(-1) - total.lgamma() - (count - total) * total.digamma()
        return spread - ((self.concentration - 1.0) * self.concentration.digamma()).sum(-1)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


class Beta(ExponentialFamily):
    """The first of two shares of a `Dirichlet` distribution."""

    __module__ = "torch.distributions.beta"
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}  # noqa: RUF012 - torch's own form
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if isinstance(concentration1, NUMBER) and isinstance(concentration0, NUMBER):
            both = tensor([float(concentration1), float(concentration0)])
        else:
            both = _stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._expanded(Beta, _instance, batch_shape)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return new

    @property
    def concentration1(self) -> Tensor:
        """The shape of the first."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """The shape of the other."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = NO_SHAPE) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Tensor) -> Tensor:
        self._validate(value)
        return self._dirichlet.log_prob(_stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return x.lgamma() + y.lgamma() - (x + y).lgamma()
