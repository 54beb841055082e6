"""gradcheck in slow mode: full Jacobians by backward and forward mode, compared with finite differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from ..._autograd.tensor import Tensor
from . import errors
from .criteria import Check, GradcheckError, close, mismatch
from .forward_mode import forward_jacobian
from .jacobians import (
    Function,
    Tensors,
    analytical_jacobian,
    basis,
    is_floating,
    numerical_jacobian,
    places_wanted,
)


def check_backward(func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: Check) -> None:
    numerical = _numerical(func, results, check.moved(points), outputs, check)
    floating = [each for each in results if is_floating(each)]
    kept = [number for number, each in enumerate(floating) if each.requires_grad]
    for place, output in enumerate(outputs):
        analytical = backward_jacobian(points, output, partial(basis, output), check)
        for index, (exact, row) in enumerate(zip(analytical, numerical, strict=True)):
            estimate = row[kept[place]]
            if not close(exact, estimate, check.rtol, check.atol):
                raise GradcheckError(mismatch(exact, estimate, place, index, check))


def check_forward(func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: Check) -> None:
    numerical = _numerical(func, results, points, outputs, check)
    if not outputs:
        return
    analytical = forward_jacobian(func, points, results)
    floating = [each for each in results if is_floating(each)]
    kept = [number for number, each in enumerate(floating) if each.requires_grad]
    for place, number in enumerate(kept):
        for index, rows in enumerate(numerical):
            exact, estimate = analytical[index][place], rows[number]
            if not close(exact, estimate, check.rtol, check.atol):
                raise GradcheckError(mismatch(exact, estimate, place, index, check, forward=True))


def _numerical(
    func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: Check
) -> list[list[Tensor]]:
    """The numerical Jacobians of all floating results; if no output requires grad they must be zero."""
    numerical = [
        numerical_jacobian(func, index, points, results, check.eps) for index in places_wanted(points)
    ]
    if not outputs and any((each._array != 0).any() for row in numerical for each in row):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    return numerical


def backward_jacobian(
    points: Tensors, output: Tensor, weights: Callable[[], Iterable[Tensor]], check: Check
) -> list[Tensor]:
    """The Jacobian of one output for each input by backward, computed twice to compare."""
    first, types_fit = analytical_jacobian(points, output, weights())
    second, _ = analytical_jacobian(points, output, weights())
    if not types_fit:  # whether requested or not, as in torch
        raise GradcheckError("Analytical gradient has incorrect size")
    for one, other in zip(first, second, strict=True):
        if one.numel() and abs(one._array - other._array).max() > check.nondet_tol:
            raise GradcheckError(errors.NONDETERMINISTIC.format(check.nondet_tol))
    return first
