"""diff, trapezoid, cumulative_trapezoid and gradient (torch: native/Integration.cpp)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, make
from ..._c10.errors import need_fitting
from ..._c10.operator_facts import Out, composite
from ..._c10.shapes import existing_dim, wrap_dim, wrap_dims
from ..creation.factories import zeros_like
from ..registry import ROWS
from ..scalar_operands import over, times
from ..shape.cat_stack import cat
from ..shape.slice_select import slice_


@composite(vmap="decompose", out=Out(operator="sub"))
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The difference of neighbours along a dimension, n times."""
    need_fitting(input._array.ndim and n >= 0, "torch.diff")
    if n or prepend is not None or append is not None:  # else torch does not check dim
        axis = wrap_dim(dim, input._array.ndim)
        for each in (prepend, append):
            if each is not None:
                _check_diff(input, axis, each)
    if n == 0:
        return zeros_like(input).copy_(input)
    if prepend is not None or append is not None:
        input = cat([each for each in (prepend, input, append) if each is not None], axis)
    turns = min(n, input._array.shape[axis])
    subtract = ROWS["logical_xor" if input._array.dtype.kind == "b" else "sub"].call
    for _ in range(turns):
        size = input._array.shape[axis]
        behind = input.narrow(axis, 0, size - 1)
        ahead = input.narrow(axis, 1, size - 1)
        input = subtract(ahead, behind)
    return input


def _check_diff(input: Tensor, axis: int, other: Tensor) -> None:
    others = [[n for i, n in enumerate(each._array.shape) if i != axis] for each in (input, other)]
    need_fitting(other._array.ndim == input._array.ndim and others[0] == others[1], "torch.diff")


def _refuse_no_numbers(name: str, y: Tensor, x: Tensor | None, dx: Any) -> None:
    numbers = all(each is None or each._array.dtype.kind != "b" for each in (x, y))
    need_fitting(numbers and not isinstance(dx, (bool, complex)), name)


def _spacing(name: str, y: Tensor, x: Tensor, axis: int) -> Tensor:
    """The spacing of the sample points, shaped to broadcast with y."""
    if x._array.ndim == 1:
        need_fitting(y._array.shape[axis] == x._array.size, name)
        x = x.view([-1 if i == axis else 1 for i in range(y._array.ndim)])
    elif x._array.ndim < y._array.ndim:
        x = x.view((1,) * (y._array.ndim - x._array.ndim) + x._array.shape)
    left, right = slice_(x, axis, 0, -1, 1), slice_(x, axis, 1, None, 1)
    return right - left


def _pairs(y: Tensor, axis: int) -> Tensor:
    left, right = slice_(y, axis, 0, -1, 1), slice_(y, axis, 1, None, 1)
    return left + right


@composite(variants="function", vmap="decompose")
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    """The integral along a dimension by the trapezoidal rule."""
    axis = existing_dim(dim, y._array.ndim) if x is None else wrap_dim(dim, y._array.ndim)
    if not y._array.ndim:
        raise IndexError(f"Dimension specified as {dim if x is None else axis} but tensor has no dimensions")
    if not y._array.shape[axis]:
        return make(np.zeros([m for i, m in enumerate(y._array.shape) if i != axis], y._array.dtype)).zero_()
    _refuse_no_numbers("trapezoid", y, x, dx)
    if x is None:
        last = y.select(dim, -1)  # first: see Note [Right operands first]
        ends = times(y.select(dim, 0) + last, 0.5)
        return times(y.sum(dim) - ends, float(dx))
    apart = _spacing("trapezoid", y, x, axis)
    return over((_pairs(y, axis) * apart).sum(axis), 2.0)


trapz = trapezoid


@composite(variants="function", vmap="decompose")
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    """The cumulative integral along a dimension by the trapezoidal rule."""
    axis = wrap_dim(dim, y._array.ndim)
    _refuse_no_numbers("cumulative_trapezoid", y, x, dx)
    if x is None:
        return times(_pairs(y, dim), dx / 2.0).cumsum(dim)
    apart = _spacing("cumulative_trapezoid", y, x, axis)
    return over((_pairs(y, axis) * apart).cumsum(axis), 2.0)


# gradient -----------------------------------------------------------------------------------------


@composite(variants="function", vmap="decompose")
def gradient(
    input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """The derivative along each dimension by central differences, one-sided at the ends."""
    ndim = input._array.ndim
    axes = wrap_dims(dim, ndim) if dim is not None else tuple(range(ndim))
    steps = _steps(spacing, axes)
    fits = edge_order in (1, 2) and input._array.dtype != np.uint8
    need_fitting(fits and all(input._array.shape[axis] > edge_order for axis in axes), "torch.gradient")
    return tuple(
        _gradient_along(input, axis, step, edge_order) for axis, step in zip(axes, steps, strict=True)
    )


def _steps(spacing: Any, axes: Sequence[int]) -> Sequence[Any]:
    """One spacing (a number, or the coordinates) for each dimension."""
    if isinstance(spacing, Tensor):  # a 0-d tensor
        spacing = spacing.item()
    if spacing is None or not isinstance(spacing, (tuple, list)):
        return [1.0 if spacing is None else spacing] * len(axes)
    fits = all(not isinstance(each, Tensor) or each._array.ndim == 1 for each in spacing)
    need_fitting(fits and len(spacing) == len(axes), "torch.gradient")
    return spacing


def _gradient_along(y: Tensor, axis: int, step: Any, edge_order: int) -> Tensor:
    def at(start: int, end: int | None = None) -> Tensor:
        return slice_(y, axis, start, end, 1)

    if isinstance(step, Tensor):
        first, center, last = _uneven(
            at, diff(step), [-1 if i == axis else 1 for i in range(y._array.ndim)], edge_order
        )
        return cat([first, center, last], axis)
    behind, ahead = at(0, -2), at(2)
    center = over(ahead - behind, step)
    if edge_order == 1:
        behind, ahead = at(0, 1), at(1, 2)
        first = over(ahead - behind, step)
        behind, ahead = at(-2, -1), at(-1)
        last = over(ahead - behind, step)
    else:
        third, second = times(at(2, 3), 0.5), times(at(1, 2), 2)  # see Note [Right operands first]
        first = over(times(at(0, 1), -1.5) + second - third, step)
        third, second = times(at(-1), 1.5), times(at(-2, -1), 2)
        last = over(times(at(-3, -2), 0.5) - second + third, step)
    return cat([first, over(center, 2), last], axis)


def _uneven(
    at: Callable[..., Tensor], apart: Tensor, shape: list[int], edge_order: int
) -> tuple[Tensor, ...]:
    """The derivative at both ends and in between, for unevenly spaced coordinates."""
    before, after = slice_(apart, 0, 0, -1, 1), slice_(apart, 0, 1, None, 1)
    a = (-after / (before * (before + after))).reshape(shape)
    b = ((after - before) / (before * after)).reshape(shape)
    c = (before / (after * (before + after))).reshape(shape)
    third, second = c * at(2), b * at(1, -1)  # see Note [Right operands first]
    center = a * at(0, -2) + second + third
    if edge_order == 1:
        step, behind = apart[0], at(0, 1)
        first = (at(1, 2) - behind) / step
        step, behind = apart[-1], at(-2, -1)
        return first, center, (at(-1) - behind) / step
    near, far = apart[0], apart[1]
    a, b, c = (
        -(2.0 * near + far) / (near * (near + far)),
        (near + far) / (near * far),
        -near / (far * (near + far)),
    )
    third, second = c * at(2, 3), b * at(1, 2)
    first = a * at(0, 1) + second + third
    near, far = apart[-1], apart[-2]
    a, b, c = (
        near / (far * (near + far)),
        -(near + far) / (near * far),
        (2 * near + far) / (near * (near + far)),
    )
    third, second = c * at(-1), b * at(-2, -1)
    return first, center, a * at(-3, -2) + second + third


PUBLIC = ("cumulative_trapezoid", "diff", "gradient", "trapezoid", "trapz")
