"""digamma, lgamma, polygamma, mvlgamma, igamma and igammac."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._autograd.undefined_gradient import undefined
from ..._c10 import dtypes
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import composite
from ..._c10.shapes import ordered
from ..inplace import inplace
from ..kernels import float_function, half_up, kind_of, need_floats, scipy
from ..registry import ROWS, Array, op
from ..scalar_operands import minus

PUBLIC = ("digamma", "igamma", "igammac", "lgamma", "mvlgamma", "mvlgamma_", "polygamma")

# Gamma functions ----------------------------------------------------------------------------------


def _digamma_kernel(self: Array) -> Array:
    result = scipy("psi")(self)
    return np.where(
        self == 0, np.copysign(np.inf, -self), np.where((self < 0) & (self == np.trunc(self)), np.nan, result)
    ).astype(self.dtype)


def _lgamma_kernel(self: Array) -> Array:
    return np.where(np.isinf(self), np.inf, scipy("gammaln")(self)).astype(self.dtype)


def _derivative(n: int, self: Tensor) -> Tensor:
    return polygamma(n, self)


lgamma = float_function(
    "LgammaBackward0", "lgamma", _lgamma_kernel, "The logarithm of the absolute value of gamma.",
    lambda grad, self: grad * self.digamma(), no_complex="lgamma_vml_cpu", jvp="auto_element_wise", inplace="method",
)  # fmt: skip
digamma = float_function(
    "DigammaBackward0", "digamma", _digamma_kernel, "The derivative of lgamma.",
    lambda grad, self: grad * _derivative(1, self), no_complex="digamma", jvp="auto_element_wise", inplace="method",
)  # fmt: skip


def _trigamma_kernel(self: Array) -> Array:
    """torch's series, so that single precision rounds the same."""
    x = half_up(self)
    one = x.dtype.type(1)
    below = x < 0.5
    sine = np.sin(x.dtype.type(np.float32(math.pi) if x.dtype == np.float32 else math.pi) * x)
    result = np.where(below, -(x.dtype.type(math.pi * math.pi) / (sine * sine)), x.dtype.type(0))
    x = np.where(below, one - x, x)
    for _ in range(6):
        result = result + one / (x * x)
        x = x + one
    square = one / (x * x)
    sixth, thirtieth, last = (x.dtype.type(1 / n) for n in (6, 30, 42))
    result = result + (one + one / (2 * x) + square * (sixth - square * (thirtieth - square * last))) / x
    return np.where(below, -result, result).astype(self.dtype)


@op(
    "PolygammaBackward0",
    name="polygamma",
    promote="self",
    to_float=True,
    vmap="front",
    vmap_inplace="fallback",
    self=lambda grad, self, n: grad * _derivative(n + 1, self),
)
def _polygamma(self: Array, n: int) -> Array:
    need_fitting(self.dtype.kind != "c", "torch.polygamma")
    if n == 0:
        return _digamma_kernel(self)
    if n == 1:
        return _trigamma_kernel(self)
    sign = 1 if n % 2 else -1
    result = scipy("zeta")(self.dtype.type(n + 1), self) * self.dtype.type(
        sign * math.exp(math.lgamma(n + 1))
    )
    return np.where(np.isposinf(self), self.dtype.type(np.nan), result)


@composite(vmap="decompose", out=True)
def polygamma(n: Any, input: Any) -> Tensor:
    """The n-th derivative of digamma."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return _polygamma(input, n)


def attach() -> None:
    """Install Tensor.polygamma, whose first argument is the tensor."""
    Tensor.polygamma = composite(vmap="decompose")(lambda self, n: polygamma(n, self))  # type: ignore[attr-defined]


@op(
    "PolygammaBackward1",
    name="polygamma_",
    promote="self",
    to_float=True,
    vmap="fallback",
    inplace="method",
    self=lambda grad, self, n: grad * _derivative(n + 1, self),
)
@composite(vmap="fallback")
def _polygamma_in_place(self: Array, n: int) -> Array:
    return ROWS["polygamma"].forward(self, n)


def _mvlgamma_shifts(kind: Any, p: int) -> Array:
    return np.arange(-p / 2 + 0.5, 0.5, 0.5, dtype=kind)


@op(
    "MvlgammaBackward0",
    name="mvlgamma",
    promote="self",
    to_float=True,
    no_complex="arange_cpu",
    elementwise=False,
    self=lambda grad, self, p: (
        grad * (make(_mvlgamma_shifts(self._array.dtype, p)) + self.unsqueeze(-1)).digamma_().sum(-1)
    ),
)
def _mvlgamma(self: Array, p: int) -> Array:
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    each = _lgamma_kernel(self[..., None] + _mvlgamma_shifts(self.dtype, p))
    total = np.sum(each, axis=-1) + self.dtype.type(p * (p - 1) / 4.0 * math.log(math.pi))
    return ordered(np.asarray(total))


@composite(vmap="decompose", out=True)
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p."""
    if input.dtype is dtypes.bool_:
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    return _mvlgamma(input, p)


_GAMMA_KERNELS = {"igamma": scipy("gammainc"), "igammac": scipy("gammaincc")}


def _incomplete(name: str, a: Array, x: Array, at_zero: int, at_infinity: int) -> Array:
    need_floats(f"{name}_cpu", a)
    kind, a, x = kind_of(a), half_up(a) + 0, half_up(x) + 0  # -0.0 as 0.0
    result = np.select(
        [(a < 0) | (x < 0), a == 0, x == 0, np.isinf(a), np.isinf(x)],
        [
            np.nan,
            np.where(x > 0, at_infinity, np.nan),
            at_zero,
            np.where(np.isinf(x), np.nan, at_zero),
            at_infinity,
        ],
        _GAMMA_KERNELS[name](a, x),
    )
    return result.astype(kind)


def mvlgamma_(self: Tensor, p: int) -> Tensor:
    """mvlgamma, in place."""
    need_fitting(self._array.dtype.kind in "fV", "Tensor.mvlgamma_")
    return inplace(ROWS["mvlgamma"])(self, p)


def _gamma_slope(self: Tensor, other: Tensor) -> Tensor:
    return (minus(self, 1) * other.log() - other - self.lgamma()).exp()


@op(
    "IgammaBackward0",
    promote="self other",
    numbers=False,
    jvp="not_implemented",
    vmap_inplace="fallback",
    inplace="method",
    self=undefined("igamma: input"),
    other=lambda grad, self, other: grad * _gamma_slope(self, other),
)
def igamma(self: Array, other: Array) -> Array:
    """The regularized lower incomplete gamma function."""
    return _incomplete("igamma", self, other, 0, 1)


@op(
    "IgammacBackward0",
    promote="self other",
    numbers=False,
    jvp="not_implemented",
    vmap_inplace="fallback",
    inplace="method",
    self=undefined("igammac: input"),
    other=lambda grad, self, other: -grad * _gamma_slope(self, other),
)
def igammac(self: Array, other: Array) -> Array:
    """The regularized upper incomplete gamma function."""
    return _incomplete("igammac", self, other, 1, 0)
