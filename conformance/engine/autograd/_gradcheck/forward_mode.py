"""gradcheck of forward mode: Jacobians by dual tensors (torch: autograd/gradcheck.py)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ..._aten.creation.factories import zeros_like
from ..._autograd.tensor import Tensor
from ..._transforms.forward_ad import dual_level, make_dual, unpack_dual
from .jacobians import Function, Tensors, as_tuple, is_floating, places_wanted


def duals_of(points: Tensors) -> tuple[list[Any], list[Tensor]]:
    """Dual tensors with zero tangents for the points that require grad, and these tangents."""
    duals, tangents = [], []
    for each in points:
        if isinstance(each, Tensor) and each.requires_grad:
            each = make_dual(each.detach(), zeros_like(each))
            tangent = unpack_dual(each).tangent
            assert tangent is not None
            tangents.append(tangent)
        duals.append(each)
    return duals, tangents


def forward_jacobian(func: Function, points: Tensors, results: Tensors) -> list[list[Tensor]]:
    """The Jacobian for each point that requires grad and each floating result, a row for each element of the point."""
    kept = [each for each in results if is_floating(each)]
    found = []
    with dual_level():
        duals, tangents = duals_of(points)
        for tangent in tangents:
            rows = [each.new_zeros((tangent.numel(), each.numel())) for each in kept]
            for number, place in enumerate(itertools.product(*map(range, tangent.size()))):
                tangent[place] = 1.0
                for row, product in zip(rows, _products(func, duals), strict=True):
                    if product is not None:
                        row[number] = product.detach().reshape(-1)
                tangent[place] = 0.0
            found.append(rows)
    return found


def forward_products(func: Function, points: Tensors, directions: list[Tensor]) -> list[list[Tensor]]:
    """For each point that requires grad, the Jacobian-vector products of all floating results with a direction."""
    found = []
    with dual_level():
        duals, tangents = duals_of(points)
        for tangent, direction in zip(tangents, directions, strict=True):
            tangent.copy_(direction.view_as(tangent))
            row = []
            for result in _floating(func(*duals)):
                product = unpack_dual(result).tangent
                # a copy, since a function may return its input, whose tangent is zeroed below
                row.append(
                    result.new_zeros(result.numel())
                    if product is None
                    else product.detach().reshape(-1).clone()
                )
            found.append(row)
            tangent.zero_()
    return found


def _floating(results: Any) -> list[Tensor]:
    return [each for each in as_tuple(results) if is_floating(each)]


def _products(func: Function, duals: list[Any]) -> list[Tensor | None]:
    return [unpack_dual(each).tangent for each in _floating(func(*duals))]


def undefined_tangents(
    func: Function, points: Tensors, directions: list[Tensor]
) -> Iterator[tuple[int, Tensor, Tensor, Tensor]]:
    """The first mismatch between an undefined and a zero tangent: result, point and both products."""
    with dual_level():
        duals, tangents = duals_of(points)
        for tangent, direction in zip(tangents, directions, strict=True):
            tangent.copy_(direction.view_as(tangent))
        for index in places_wanted(points):
            kept, point = duals[index], points[index]
            duals[index] = make_dual(point.detach(), zeros_like(point))
            with_zeros = _products(func, duals)
            duals[index] = point.detach()
            without = _products(func, duals)
            duals[index] = kept
            for number, (one, other) in enumerate(zip(with_zeros, without, strict=True)):
                if one is not None and other is not None and not one.allclose(other):
                    yield number, point, one, other
