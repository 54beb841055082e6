"""Piecewise constant and piecewise linear functions: round, floor, frac, deg2rad, nan_to_num and others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.dtypes import float_limits
from ..._c10.operator_facts import composite
from ..._c10.shapes import like_steps
from ..creation.factories import zeros_like
from ..inplace import run_inplace
from ..kernels import half_up, need_floats, refuse_bools
from ..registry import ROWS, Array, op
from ..scalar_operands import scaled_by, times


def _whole(name: str, function: Any, text: str, no_complex: str | Exception, **facts: Any) -> Any:
    def forward(self: Array) -> Array:
        refuse_bools(f"{name}_vml_cpu", self)
        return function(self) if self.dtype.kind in "fV" else self.copy()

    forward.__name__, forward.__doc__ = name, text
    return op(
        f"{name.capitalize()}Backward0",
        promote="self",
        no_complex=no_complex,
        **facts,
        jvp="auto_element_wise",
        self=lambda grad: zeros_like(grad),
    )(forward)


def _refused(name: str) -> NotImplementedError:
    return NotImplementedError(f"{name} is not supported for complex inputs")


floor = _whole(
    "floor",
    np.floor,
    "The greatest integer that is not above.",
    _refused("floor"),
    inplace="function, method",
)
ceil = _whole(
    "ceil",
    np.ceil,
    "The least integer that is not below.",
    _refused("ceil"),
    inplace="function, method",
)
trunc = fix = _whole(
    "trunc",
    np.trunc,
    "Without the digits behind the point.",
    _refused("trunc"),
    inplace="function, method",
)
_whole("round", np.rint, "The nearest integer; of two as near, the even one.", "round_vml_cpu")


@op(
    "RoundBackward1",
    promote="self",
    name="round_decimals",
    overload="decimals",
    operator="round",
    self=lambda grad: zeros_like(grad),
)
def _round_decimals(self: Array, decimals: int) -> Array:
    if decimals == 0:
        need_floats("round_vml_cpu", self)
        return np.rint(self)
    need_floats("round_cpu", self)
    wide, scale = half_up(self), half_up(np.asarray(self.dtype.type(10.0 ** abs(decimals))))
    result = np.rint(wide / scale) * scale if decimals < 0 else np.rint(wide * scale) / scale
    return np.asarray(result).astype(self.dtype)


def _rounded(input: Tensor, decimals: int | None) -> tuple[str, list[Any]]:
    return ("round", [input]) if decimals is None else ("round_decimals", [input, decimals])


@composite(vmap="decompose", out=True)
def round(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """Round to a number of decimals (0 by default), ties to even."""
    name, arguments = _rounded(input, decimals)
    return ROWS[name].call(*arguments)


@composite(variants="function, method")
def round_(self: Tensor, *, decimals: int | None = None) -> Tensor:
    """round, in place."""
    name, arguments = _rounded(self, decimals)
    return run_inplace(ROWS[name], arguments)


@op(
    "FracBackward0", promote="self", no_complex="frac_cpu", inplace="function, method", self=lambda grad: grad
)
def frac(self: Array) -> Array:
    """The fractional part, with the sign of the number."""
    need_floats("frac_cpu", self)
    return self - np.trunc(self)


@op(
    "Deg2RadBackward0",
    promote="self",
    to_float=True,
    no_complex=RuntimeError("deg2rad is not supported for complex tensors."),
    jvp="auto_element_wise",
    inplace="function, method",
    self=lambda grad: times(grad, math.pi / 180),
)
def deg2rad(self: Array) -> Array:
    """Degrees as radians."""
    return scaled_by(np.multiply, self, math.pi / 180)


@op(
    "Rad2DegBackward0",
    promote="self",
    to_float=True,
    no_complex=RuntimeError("rad2deg is not supported for complex tensors."),
    jvp="auto_element_wise",
    inplace="function, method",
    self=lambda grad: times(grad, 180 / math.pi),
)
def rad2deg(self: Array) -> Array:
    """Radians as degrees."""
    return scaled_by(np.multiply, self, 180 / math.pi)


@op(
    "NanToNumBackward0",
    promote="self",
    jvp="auto_element_wise",
    inplace="function, method",
    self=lambda grad, self: grad * self.isfinite(),
)
def nan_to_num(self: Array, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Array:
    """Replace nan (by default with 0) and infinities (with the dtype's largest and smallest number)."""
    if self.dtype.kind not in "fV":
        return like_steps(self.copy("K"), self)
    limits = float_limits(self.dtype)
    numbers = half_up(self)  # numpy cannot detect bfloat16 infinities
    given = [
        default if each is None else each
        for each, default in ((nan, 0.0), (posinf, limits.max), (neginf, limits.min))
    ]
    nan, posinf, neginf = (np.float64(each).astype(self.dtype) for each in given)
    result = numbers.copy("K")
    for place, instead in (
        (numbers != numbers, nan),
        (numbers == np.inf, posinf),
        (numbers == -np.inf, neginf),
    ):
        np.copyto(result, instead, where=place)
    return like_steps(result.astype(self.dtype), self)


@composite(vmap="decompose")
def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input
