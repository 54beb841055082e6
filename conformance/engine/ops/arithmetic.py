"""Arithmetic and comparisons (derivatives.yaml of torch has the same rows)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..rows import Array, op
from ..tensor import Tensor


def _alpha(grad: Tensor, alpha: Any) -> Tensor:
    return grad if alpha == 1 else grad * alpha


def _scaled(other: Any, alpha: Any) -> Any:
    if alpha == 1:
        return other
    if isinstance(other, np.ndarray):
        return np.multiply(other, other.dtype.type(alpha))
    return other * alpha


@op(
    "AddBackward0",
    meet="self other",
    self=lambda grad: grad,
    other=lambda grad, alpha: _alpha(grad, alpha),
)
def add(self: Any, other: Any, *, alpha: Any = 1) -> Array:
    """self + alpha * other."""
    if alpha == 1:
        return np.add(self, other)
    return np.add(self, _scaled(other, alpha))


def _subtractable(self: Any, other: Any) -> None:
    for each in (self, other):
        if getattr(each, "dtype", None) == np.bool_ or isinstance(each, bool):
            both = all(getattr(x, "dtype", None) == np.bool_ or isinstance(x, bool) for x in (self, other))
            raise RuntimeError(
                "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                "`logical_xor()` operator instead."
                if both
                else "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert "
                "a mask, use the `~` or `logical_not()` operator instead."
            )


@op(
    "SubBackward0",
    meet="self other",
    self=lambda grad: grad,
    other=lambda grad, alpha: -grad if alpha == 1 else grad * -alpha,
)
def sub(self: Any, other: Any, *, alpha: Any = 1) -> Array:
    """self - alpha * other."""
    if self.dtype == np.bool_:
        _subtractable(self, other)
    return np.subtract(self, _scaled(other, alpha))


@op(
    "RsubBackward1",
    name="rsub",
    tensors="self",
    self=lambda grad, alpha: -grad if alpha == 1 else grad * -alpha,
)
def _rsub_number(self: Any, other: Any, alpha: Any = 1) -> Array:
    """other - alpha * self, for a number."""
    kind = dtypes.result_dtype(self, other)
    return np.subtract(np.asarray(other).astype(kind), _scaled(self.astype(kind, copy=False), alpha))


def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:  # noqa: A002
    """other - alpha * input."""
    if isinstance(other, Tensor):
        return sub(other, input, alpha=alpha)  # type: ignore[no-any-return]
    return _rsub_number(input, other, alpha)  # type: ignore[no-any-return]


@op(
    "MulBackward0",
    meet="self other",
    self=lambda grad, other: grad * other,
    other=lambda grad, self: grad * self,
)
def mul(self: Any, other: Any) -> Array:
    """self * other."""
    return np.multiply(self, other)


@op(
    "DivBackward0",
    name="div",
    meet="self other",
    to_float=True,
    self=lambda grad, other: grad / other,
    other=lambda grad, self, other: -grad * ((self / other) / other),
)
def _true_divide(self: Any, other: Any) -> Array:
    """self / other."""
    return np.true_divide(self, other)


@op(
    "DivBackward1",
    name="div_rounded",
    meet="self other",
    self=lambda grad, other, rounding_mode: grad / other if rounding_mode is None else grad * 0,
    other=lambda grad, self, other, rounding_mode: (
        -grad * ((self / other) / other) if rounding_mode is None else grad * 0
    ),
)
def _div_rounded(self: Any, other: Any, rounding_mode: Any = None) -> Array:
    if rounding_mode is None:
        return np.true_divide(self, other)
    integral = np.asarray(self).dtype.kind not in "f"
    if integral and np.any(np.asarray(other) == 0):
        raise RuntimeError("ZeroDivisionError")
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if rounding_mode == "trunc":
        quotient = np.trunc(np.true_divide(self, other))
        return quotient.astype(np.asarray(self).dtype)
    raise RuntimeError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
    )


def div(input: Tensor, other: Any, *, rounding_mode: str | None = None, out: Any = None) -> Tensor:  # noqa: A002
    """input / other, rounded towards zero ("trunc") or down ("floor") where asked."""
    if rounding_mode is None:
        return _true_divide(input, other, out=out)  # type: ignore[no-any-return]
    return _div_rounded(input, other, rounding_mode, out=out)  # type: ignore[no-any-return]


@op("NegBackward0", self=lambda grad: -grad)
def neg(self: Array) -> Array:
    """-self."""
    if self.dtype == np.bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    return np.negative(self)


def _compare(name: str, function: Any) -> Any:
    def forward(self: Any, other: Any) -> Array:
        return function(self, other)  # type: ignore[no-any-return]

    forward.__name__ = name
    return op(meet="self other")(forward)


eq = _compare("eq", np.equal)
ne = _compare("ne", np.not_equal)
lt = _compare("lt", np.less)
le = _compare("le", np.less_equal)
gt = _compare("gt", np.greater)
ge = _compare("ge", np.greater_equal)
