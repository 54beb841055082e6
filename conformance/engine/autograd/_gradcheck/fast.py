"""gradcheck(fast_mode=True): products of the Jacobians with random directions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from ..._aten.random.random import Generator, rand
from ..._autograd.tensor import Tensor
from . import errors
from .criteria import Check, GradcheckError, close, mismatch
from .forward_mode import forward_jacobian, forward_products
from .jacobians import (
    Function,
    Tensors,
    as_tuple,
    basis,
    is_floating,
    moved,
    numerical_jacobian,
    places_wanted,
)
from .slow import backward_jacobian


def check_backward(func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: Check) -> None:
    """Compare one product v J u for each pair of input and output."""
    generator = Generator()
    wanted = places_wanted(points)
    directions = [_directions(points[index], generator) for index in wanted]
    weights = [direction_of(each, generator) for each in outputs]
    estimates = []
    for index, direction in zip(wanted, directions, strict=True):
        products = _moved_along(func, points, index, direction, check.eps)
        if not outputs:
            if any(each.numel() and abs(each._array).max() > check.nondet_tol for each in products):
                raise GradcheckError("Numerical gradient for function expected to be zero")
            continue
        floating = [each for each, result in zip(products, results, strict=True) if is_floating(result)]
        estimates.append([(v * each).sum() for v, each in zip(weights, floating, strict=False)])
    exact = []
    for output, weight in zip(outputs, weights, strict=True):
        whole = weight.reshape(output.shape)
        rows = backward_jacobian(points, output, partial(list, (whole,)), check)
        exact.append([_along(row.reshape(-1), u) for row, u in zip(rows, directions, strict=True)])
    for index, row in enumerate(estimates):
        for place, estimate in enumerate(row):
            atol = check.atol * float(directions[index][0].sum()) * float(weights[place].sum())
            if not close(exact[place][index], estimate, check.rtol, atol):
                slow = _slow_message(func, results, points, outputs, (index, place), check)
                text = mismatch(exact[place][index], estimate, place, index, check)
                raise GradcheckError(text + slow)


def check_forward(func: Function, results: Tensors, points: Tensors, outputs: Tensors, check: Check) -> None:
    """Compare the products J u for each input."""
    generator = Generator()
    wanted = places_wanted(points)
    directions = [_directions(points[index], generator) for index in wanted]
    estimates = [
        _moved_along(func, points, index, direction, check.eps)
        for index, direction in zip(wanted, directions, strict=True)
    ]
    products = forward_products(func, points, [each[0] for each in directions])
    for place, (found, direction) in enumerate(zip(estimates, directions, strict=True)):
        floating = [each for each, result in zip(found, results, strict=True) if is_floating(result)]
        atol = check.atol * float(direction[0].sum())
        for number, (exact, estimate) in enumerate(zip(products[place], floating, strict=True)):
            if not close(exact, estimate, check.rtol, atol):
                text = mismatch(exact, estimate, number, place, check, forward=True)
                raise GradcheckError(
                    text + _slow_forward_message(func, results, points, (place, number), check)
                )


def _slow_forward_message(
    func: Function, results: Tensors, points: Tensors, pair: tuple[int, int], check: Check
) -> str:
    index, place = pair
    where = places_wanted(points)[index]
    estimate = numerical_jacobian(func, where, points, results, check.eps)[place]

    def alone(point: Any) -> Any:
        return as_tuple(func(*points[:where], point, *points[where + 1 :]))[place]

    exact = forward_jacobian(alone, (points[where],), (results[place],))[0][0]
    return _slow_text(exact, estimate, check)


def _moved_along(
    func: Function, points: Tensors, index: int, direction: tuple[Tensor, ...], eps: float
) -> list[Tensor]:
    memory = points[index].data
    step = tuple(each.reshape(memory.shape) * eps for each in direction)
    return moved(func, points, memory, step, eps, None)


def _along(gradient: Tensor, direction: tuple[Tensor, ...]) -> Tensor:
    if len(direction) == 1:
        return (gradient * direction[0]).sum()
    return (gradient.real * direction[0]).sum() + (gradient.imag * direction[1]).sum() * 1j


def _directions(tensor: Tensor, generator: Any) -> tuple[Tensor, ...]:
    """A random direction, or for a complex tensor one along each axis."""
    like = tensor.real
    return tuple(direction_of(like, generator) for _ in range(1 + tensor.is_complex()))


def direction_of(tensor: Tensor, generator: Any) -> Tensor:
    found = rand(tensor.numel(), generator=generator).to(dtype=tensor.dtype)
    return found / found.norm()


def _slow_message(
    func: Function, results: Tensors, points: Tensors, outputs: Tensors, pair: tuple[int, int], check: Check
) -> str:
    index, place = pair
    estimate = numerical_jacobian(func, places_wanted(points)[index], points, results, check.eps)[place]
    loose = replace(check, nondet_tol=float("inf"))
    exact = backward_jacobian(points, outputs[place], lambda: basis(outputs[place]), loose)[index]
    return _slow_text(exact, estimate, check)


def _slow_text(exact: Tensor, estimate: Tensor, check: Check) -> str:
    if exact.dtype is not estimate.dtype:
        raise RuntimeError(f"{exact.dtype.legacy} did not match {estimate.dtype.legacy}")
    text = errors.SLOW.format(estimate, exact, (estimate - exact).abs().max())
    return text + (errors.SLOW_OK if close(exact, estimate, check.rtol, check.atol) else "")
