"""Jacobians, by finite differences and by backward (torch: autograd/gradcheck.py)."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..._aten.creation.factories import zeros
from ..._aten.shape.cat_stack import stack
from ..._aten.sparse.sparse_array import values_in_order
from ..._autograd import backward
from ..._autograd.tensor import Tensor
from ..._c10.layout import Unstrided

Tensors = tuple[Any, ...]
Function = Callable[..., Any]


def numerical_jacobian(
    func: Function, index: int, points: Tensors, results: Tensors, eps: float
) -> list[Tensor]:
    """The Jacobian of each floating output with respect to one input, a row for each element of the input."""
    memory, entries = _entries(points[index])
    columns = {row: moved(func, points, memory[at], (eps, eps), eps, at) for row, at in entries}
    floating = [number for number, each in enumerate(results) if is_floating(each)]
    found = []
    for number in floating:
        kind = memory.dtype if memory.is_complex() else results[number].dtype
        jacobian = results[number].new_zeros((points[index].numel(), results[number].numel()), dtype=kind)
        for row, column in columns.items():
            jacobian[row] = column[number]
        found.append(jacobian)
    return found


def _entries(point: Tensor) -> tuple[Tensor, list[tuple[int, tuple[int, ...]]]]:
    """The memory of an input, and for each element its row in the Jacobian and its index.

    Of a sparse input these are its values.
    """
    if not isinstance(point._array, Unstrided):
        memory = point.data
        return memory, list(enumerate(_places(memory)))

    memory = point._values().data
    return memory, list(zip(values_in_order(point._array), _places(memory), strict=True))


def moved(
    func: Function, points: Tensors, entry: Tensor, step: Any, eps: float, place: tuple[int, ...] | None
) -> list[Tensor]:
    """How every output changes with an entry; a complex one is moved along both axes, by a step for each."""
    if not entry.is_complex():
        return differences(func, points, entry, step[0], eps, place)
    along_x = differences(func, points, entry, step[0], eps, place)
    along_y = differences(func, points, entry, step[1] * 1j, eps, place)
    return [x + y * 1j for x, y in zip(along_x, along_y, strict=True)]


def differences(
    func: Function, points: Tensors, entry: Tensor, step: Any, eps: float, place: tuple[int, ...] | None
) -> list[Tensor]:
    """The central difference of every output; the element is perturbed in place and restored."""
    before = entry.clone()
    entry.copy_(before - step)
    low = [each.clone() for each in as_tuple(func(*points))]
    entry.copy_(before + step)
    high = [each.clone() for each in as_tuple(func(*points))]
    entry.copy_(before)
    where = "" if place is None else f"on index {place} "
    for first, second in zip(low, high, strict=True):
        for what, one, other in (
            ("shape", first.shape, second.shape),
            ("dtype", first.dtype, second.dtype),
        ):
            if one != other:
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by "
                    f"{eps}, but got: {what}s {one} and {other}."
                )
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(low, high, strict=True)]


def basis(output: Tensor) -> Iterator[Tensor]:
    """The standard basis of an output's gradients, one vector after another in the same memory."""
    memory = output.new_zeros(output.shape)
    flat = memory.view(-1)
    for element in range(flat.numel()):
        flat.zero_()
        flat[element] = 1.0
        yield memory


def analytical_jacobian(
    points: Tensors, output: Tensor, weights: Iterable[Tensor]
) -> tuple[list[Tensor], bool]:
    """The Jacobian of an output for each input by backward, a column for each weight, and whether the dtypes match."""
    by = [points[index] for index in places_wanted(points)]
    columns: list[list[Tensor]] = [[] for _ in by]
    types_fit = True
    for weight in weights:
        found = backward.grad(output, by, weight, retain_graph=True, allow_unused=True)
        for point, gradient, column in zip(by, found, columns, strict=True):
            if gradient is None:
                column.append(zeros(point.numel(), dtype=point.dtype))
                continue
            types_fit = types_fit and gradient.dtype is point.dtype
            column.append(gradient.detach().to_dense().clone().reshape(-1).to(point.dtype))
    return [_side_by_side(*pair) for pair in zip(by, columns, strict=True)], types_fit


def _side_by_side(point: Tensor, columns: list[Tensor]) -> Tensor:
    return stack(columns, 1) if columns else point.new_zeros((point.numel(), 0))


def as_tuple(value: Any) -> Tensors:
    return value if isinstance(value, tuple) else tuple(value) if isinstance(value, list) else (value,)


def places_wanted(points: Tensors) -> list[int]:
    return [index for index, each in enumerate(points) if isinstance(each, Tensor) and each.requires_grad]


def is_floating(value: Any) -> bool:
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def _places(tensor: Tensor) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(each) for each in tensor.size()))


# Deprecated functions -----------------------------------------------------------------------------

_DEPRECATED = (
    "`{0}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be removed "
    "in a future version of PyTorch. If you have a specific use for this or feature request for this to be a stable "
    "API, please file us an issue at https://github.com/pytorch/pytorch/issues/new"
)


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """The Jacobians of the first output of ``fn(inputs)`` with respect to each target, by finite differences.

    Raises:
        ValueError: ``grad_out`` is not 1.
    """
    _announce("get_numerical_jacobian", grad_out)
    points = as_tuple(inputs)
    targets = points if target is None else as_tuple(target)

    def packed(*_: Any) -> Any:
        return fn(inputs)

    results = as_tuple(packed())
    wanted = places_wanted(targets)
    return tuple(numerical_jacobian(packed, index, targets, results, eps)[0] for index in wanted)


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobians of an output with respect to each input by backward, and whether backward is reentrant and types match.

    Raises:
        ValueError: ``grad_out`` is not 1, or the output is complex.
    """
    _announce("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise ValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer supports functions that return "
            "complex outputs."
        )
    points = as_tuple(inputs)
    first, types_fit = analytical_jacobian(points, output, basis(output))
    second, _ = analytical_jacobian(points, output, basis(output))
    same = all(
        not one.numel() or abs(one._array - other._array).max() <= nondet_tol
        for one, other in zip(first, second, strict=True)
    )
    return tuple(first), bool(same), types_fit, True  # torch compares dtypes where it means sizes


def _announce(name: str, grad_out: float) -> None:
    warnings.warn(_DEPRECATED.format(name), FutureWarning, stacklevel=3)
    if grad_out != 1.0:
        rest = " no longer supports values of grad_out != 1.0."
        raise ValueError(f"Expected grad_out to be 1.0. {name}{rest}")
