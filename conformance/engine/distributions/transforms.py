"""torch.distributions.transforms: invertible functions of random variables (torch: distributions/transforms.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._arguments.absent_names import look_up
from .._aten.creation.factories import full_like
from .._aten.nn.exp_activations import logsigmoid, softplus
from .._aten.operators import FUNCTIONS
from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.size import Size
from .._distributions.transform_base import (
    ComposeTransform,
    IndependentTransform,
    ReshapeTransform,
    Transform,
    dependent,
    widened,
)
from .._nn.padding import pad
from . import constraints
from .utils import NUMBER, broadcast_all

__all__ = [
    "AffineTransform", "ComposeTransform",     "ExpTransform", "IndependentTransform",
    "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform",
    "SoftplusTransform", "StickBreakingTransform", "TanhTransform", "Transform",
    "identity_transform",
]  # fmt: skip

_broadcast_shapes = FUNCTIONS["broadcast_shapes"]
identity_transform = ComposeTransform([])


class _OfKind(Transform):
    """The base of transforms without parameters, which are equal if their classes are."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))


class ExpTransform(_OfKind):
    """y = exp(x)."""

    __module__ = "torch.distributions.transforms"

    domain, codomain, bijective = constraints.real, constraints.positive, True

    def _call(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class PowerTransform(Transform):
    """y = x ** exponent."""

    __module__ = "torch.distributions.transforms"

    domain, codomain, bijective = constraints.positive, constraints.positive, True

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all().item())

    def _call(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Any:
        return _broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


def _clipped(y: Any) -> Any:
    limits = dtypes.finfo(y.dtype)
    return y.clamp(min=limits.tiny, max=1.0 - limits.eps)


class SigmoidTransform(_OfKind):
    """y = sigmoid(x), clamped to the open interval (0, 1)."""

    __module__ = "torch.distributions.transforms"

    domain, codomain, bijective = constraints.real, constraints.unit_interval, True

    def _call(self, x: Any) -> Any:
        return _clipped(x.sigmoid())

    def _inverse(self, y: Any) -> Any:
        y = _clipped(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x) - softplus(x)


class SoftplusTransform(_OfKind):
    """y = softplus(x)."""

    __module__ = "torch.distributions.transforms"

    domain, codomain, bijective = constraints.real, constraints.positive, True

    def _call(self, x: Any) -> Any:
        return softplus(x)

    def _inverse(self, y: Any) -> Any:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x)


class TanhTransform(_OfKind):
    """y = tanh(x); the inverse is infinite at the bounds, which a cache avoids."""

    __module__ = "torch.distributions.transforms"

    domain, codomain, bijective = constraints.real, constraints.interval(-1.0, 1.0), True

    def _call(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AffineTransform(Transform):
    """y = loc + scale * x."""

    __module__ = "torch.distributions.transforms"

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> Any:
        return self._event_dim

    @dependent
    def domain(self) -> Any:
        return widened(constraints.real, self.event_dim)

    @dependent
    def codomain(self) -> Any:
        return widened(constraints.real, self.event_dim)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AffineTransform)
            and _same(self.loc, other.loc)
            and _same(self.scale, other.scale)
        )

    def _call(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        shape, scale = x.shape, self.scale
        result = full_like(x, math.log(abs(scale))) if isinstance(scale, NUMBER) else scale.abs().log()
        if self.event_dim:
            result = result.view((*result.shape[: -self.event_dim], -1)).sum(-1)
            shape = shape[: -self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape: Any) -> Any:
        return _broadcast_shapes(
            shape, *(each.shape for each in (self.loc, self.scale) if isinstance(each, Tensor))
        )

    inverse_shape = forward_shape


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, NUMBER) and isinstance(other, NUMBER):
        return one == other
    return bool((one == other).all().item())


class _OfVectors(_OfKind):
    """The base of transforms from vectors to the simplex."""

    domain: Any = constraints.real_vector
    codomain: Any = constraints.simplex
    _more: int = 0
    """The difference between the numbers of elements of result and argument."""

    def forward_shape(self, shape: Any) -> Any:
        return _longer(shape, self._more)

    def inverse_shape(self, shape: Any) -> Any:
        return _longer(shape, -self._more)


def _longer(shape: Sequence[int], by: int) -> Size:
    if not shape:
        raise ValueError("Too few dimensions on input")
    return Size((*shape[:-1], shape[-1] + by))


class SoftmaxTransform(_OfVectors):
    """y = softmax(x), which is not bijective."""

    __module__ = "torch.distributions.transforms"

    def _call(self, x: Any) -> Any:
        powers = (x - x.max(-1, True)[0]).exp()
        return powers / powers.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()


class StickBreakingTransform(_OfVectors):
    """Stick breaking: each element takes a fraction of the remaining length, and the last takes the rest."""

    __module__ = "torch.distributions.transforms"

    bijective = True
    _more = 1

    def _call(self, x: Any) -> Any:
        shares = _clipped((x - _remaining(x, x.shape[-1] + 1).log()).sigmoid())
        left = (1 - shares).cumprod(-1)
        return pad(shares, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Any) -> Any:
        cropped = y[..., :-1]
        left = (1 - cropped.cumsum(-1)).clamp(min=dtypes.finfo(y.dtype).tiny)
        return cropped.log() - left.log() + _remaining(cropped, y.shape[-1]).log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        x = x - _remaining(x, x.shape[-1] + 1).log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)


def _remaining(like: Any, count: int) -> Any:
    """The number of elements after each one, from ``count - 1`` down."""
    return count - like.new_ones(like.shape[-1]).cumsum(-1)


__getattr__ = look_up("torch.distributions.transforms")
