"""Orthogonal polynomials, by their recurrence relations (torch: native/Math.h).

Between -1 and 1 torch computes Chebyshev polynomials of higher degrees from cosines and sines; at -1 and 1 it uses
their exact values. A fractional degree is truncated; a negative one gives 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.dtypes import is_half, of_number
from ..._c10.errors import unimplemented
from ..._c10.operator_facts import Out, composite
from ..creation.factories import scalar_tensor
from ..out import given
from ..registry import ROWS, Array, op
from ..type_promotion import is_number, plain_number

PUBLIC = ()
First = Callable[[Array], Array]
Step = Callable[[Array, int, Array, Array], Array]


def _climbed(x: Array, degree: Array, first: First, step: Step) -> Array:
    """The polynomial of each element's degree, by the recurrence that starts with degrees 0 and 1."""
    before, current = np.ones_like(x), first(x)
    result = np.where(degree == 0, before, np.where(degree == 1, current, x.dtype.type(0)))
    for k in range(2, int(degree.max(initial=0)) + 1):
        before, current = current, step(x, k, current, before)
        result = np.where(degree == k, current, result)
    return np.where(degree < 0, x.dtype.type(0), result)


def _double(x: Array, k: int, current: Array, before: Array) -> Array:
    return (x + x) * current - before


def _of_t(angle: Array, n: Array, x: Array) -> Array:
    return np.cos(n * angle)


def _of_u(angle: Array, n: Array, x: Array) -> Array:
    sine = np.sin(angle)
    return np.where(sine != 0, np.sin((n + 1) * angle) / sine, (n + 1) * np.cos((n + 1) * angle) / x)


def _of_v(angle: Array, n: Array, x: Array) -> Array:
    return np.cos((n + 0.5) * angle) / np.cos(angle / 2)


def _of_w(angle: Array, n: Array, x: Array) -> Array:
    return np.sin((n + 0.5) * angle) / np.sin(angle / 2)


# The polynomial of degree 1, the values at 1 and (up to the sign) at -1, and the polynomial as a function of the angle.
_CHEBYSHEV: dict[str, tuple[First, Any, Any, Any]] = {
    "t": (lambda x: x, lambda n: 1 + 0 * n, lambda n: 1 + 0 * n, _of_t),
    "u": (lambda x: x + x, lambda n: n + 1, lambda n: n + 1, _of_u),
    "v": (lambda x: x + x - 1, lambda n: 1 + 0 * n, lambda n: 2 * n + 1, _of_v),
    "w": (lambda x: x + x + 1, lambda n: 2 * n + 1, lambda n: 1 + 0 * n, _of_w),
}


def _chebyshev(kind: str, shifted: bool) -> Callable[[Array, Array], Array]:
    first, at_one, at_minus_one, of_angle = _CHEBYSHEV[kind]
    exact_to = (4 if kind == "w" else 6) if shifted else (6 if kind == "t" else 8)

    def kernel(x: Array, degree: Array) -> Array:
        if shifted:
            x = x + x - 1
        sign = np.where(degree % 2 == 0, 1, -1)
        by_angle = (degree > exact_to) & (np.abs(x) < 1)
        result = _climbed(x, np.where(by_angle, 0, degree), first, _double)
        inside = np.where(by_angle, x, 0)
        result = np.where(by_angle, of_angle(np.arccos(inside), degree.astype(x.dtype), inside), result)
        ends = np.where(x == 1, at_one(degree), np.where(x == -1, sign * at_minus_one(degree), result))
        return np.where(degree < 0, 0, ends)

    return kernel


def _hermite(scale: int) -> Callable[[Array, Array], Array]:
    def kernel(x: Array, degree: Array) -> Array:
        limit = 128 if x.dtype == np.float32 else 512
        result = _climbed(
            x, np.minimum(degree, limit), lambda x: scale * x,
            lambda x, k, current, before: scale * x * current - scale * (k - 1) * before,
        )  # fmt: skip
        return np.where(degree > limit, x.dtype.type(np.nan), result)

    return kernel


def _laguerre(x: Array, degree: Array) -> Array:
    result = _climbed(
        x,
        degree,
        lambda x: 1 - x,
        lambda x, k, current, before: ((2 * k - 1 - x) * current - (k - 1) * before) / k,
    )
    return np.where((x == 0) & (degree >= 0), 1, result)


def _legendre(x: Array, degree: Array) -> Array:
    return _climbed(
        x,
        degree,
        lambda x: x,
        lambda x, k, current, before: ((2 * k - 1) * x * current - (k - 1) * before) / k,
    )


_KERNELS: dict[str, Callable[[Array, Array], Array]] = {
    **{f"chebyshev_polynomial_{kind}": _chebyshev(kind, False) for kind in _CHEBYSHEV},
    **{f"shifted_chebyshev_polynomial_{kind}": _chebyshev(kind, True) for kind in _CHEBYSHEV},
    "hermite_polynomial_h": _hermite(2),
    "hermite_polynomial_he": _hermite(1),
    "laguerre_polynomial_l": _laguerre,
    "legendre_polynomial_p": _legendre,
}


def _overload(x: Any, n: Any, **named: Any) -> str:
    if isinstance(x, Tensor):
        return "default" if isinstance(n, Tensor) else "n_scalar"
    return "x_scalar"


def _row(name: str) -> Callable[..., Tensor]:
    def forward(x: Array, n: Array) -> Array:
        if x.dtype.kind not in "fV" or is_half(x.dtype):
            raise unimplemented(f"{name}_cpu", x.dtype)
        finite = np.where(np.isfinite(n), n, -1)
        result = _KERNELS[name](*np.broadcast_arrays(x, np.trunc(finite).astype(np.int64)))
        return np.asarray(result, x.dtype)

    op(None, name=f"special_{name}", promote="x n", numbers=False, to_float=True, out=Out(checks_grad=False))(
        forward
    )

    @composite(vmap="fallback", overload=_overload)
    def function(x: Any, n: Any, *, out: Any = None) -> Tensor:
        x, n = plain_number(x), plain_number(n)
        other = n if is_number(x) else x
        operands = [
            scalar_tensor(each, dtype=_kind(other, each)) if is_number(each) else each for each in (x, n)
        ]
        return given(f"special_{name}", out, ROWS[f"special_{name}"].call(*operands))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The polynomial of degree n at x, which torch gives no derivative."
    return function


def _kind(other: Tensor, number: Any) -> Any:
    """The dtype to which a number is converted when it is combined with a tensor."""
    if number.__class__ is complex:
        return of_number(number)
    return other.dtype if other.is_floating_point() else None


FUNCTIONS: dict[str, Callable[..., Tensor]] = {name: _row(name) for name in _KERNELS}
