"""broadcast_tensors, broadcast_shapes, atleast_nd, meshgrid, cartesian_prod and combinations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor, wrap
from ..._c10.operator_facts import composite
from ..._c10.shapes import broadcast_shapes as common_shape
from ..._c10.size import Size
from ..._c10.warn_once import warn_once
from .atleast import given_tensors, grown, one, three, two
from .cat_stack import stack


@composite(variants="function", vmap="decompose")
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Tensors expanded to their common shape."""
    given = given_tensors(tensors)
    shape = common_shape(*(each._array.shape for each in given))
    return tuple(each if each._array.shape == shape else each.expand(shape) for each in given)


@composite(variants="function")
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape to which shapes broadcast."""
    given = [(each,) if isinstance(each, int) else each for each in shapes if each is not None]
    for each in given:
        if not isinstance(each, Sequence):
            raise RuntimeError(
                f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {each}"
            )
    result = [1] * max(map(len, given), default=0)
    for number, each in enumerate(given):
        for i, n in enumerate(reversed(each), 1):
            if n == 1 or n == result[-i]:
                continue
            if result[-i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at {-i}! Mismatching argument at "
                    f"index {number} had {each}; but expected shape should be broadcastable to {result}"
                )
            if n < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            result[-i] = n
    return Size(result)


# atleast_nd ---------------------------------------------------------------------------------------


def _at_least(ndim: int, grow: Any, text: str) -> Any:
    @composite(variants="function", vmap="decompose")
    def atleast(*tensors: Any) -> Any:
        return grown(grow, tensors)

    atleast.__name__, atleast.__doc__ = f"atleast_{ndim}d", text
    return atleast


atleast_1d = _at_least(1, one, "The tensor, a number as a vector of one.")
atleast_2d = _at_least(2, two, "The tensor with at least two dimensions.")
atleast_3d = _at_least(3, three, "The tensor with at least three dimensions.")


# Grids --------------------------------------------------------------------------------------------


@composite(variants="function", vmap="decompose")
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid, a tensor for each axis."""
    given = given_tensors(tensors)
    if indexing is None:
        warn_once(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
        )
    return grid(given, indexing or "ij")


def grid(given: tuple[Tensor, ...], indexing: str) -> tuple[Tensor, ...]:
    """meshgrid of a sequence.

    Raises:
        RuntimeError: no tensors, or tensors that are not 0-d or 1-d or differ in dtype.
    """
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if any(each._array.ndim > 1 for each in given):
        raise NotImplementedError("the text of meshgrid's error for matrices")
    if len({each.dtype for each in given}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swapped = indexing == "xy" and len(given) >= 2
    if swapped:
        given = (given[1], given[0], *given[2:])
    shape = tuple(each._array.size for each in given)
    result = [
        each.view([-1 if i == axis else 1 for i in range(len(given))]).expand(shape)
        for axis, each in enumerate(given)
    ]
    if swapped:
        result[0], result[1] = result[1], result[0]
    return tuple(result)


@composite(variants="function", vmap="decompose")
def cartesian_prod(*tensors: Any) -> Tensor:
    """Every combination of one element from each vector, a row each."""
    given = given_tensors(tensors)
    for each in given:
        if each._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(each._array.shape)}")
    if len(given) == 1:
        return given[0]
    return stack([each.flatten() for each in grid(given, "ij")], 1)


@composite(variants="function", vmap="decompose")
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Every choice of r elements of a vector, a row each."""
    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrap(np.zeros(0, input._array.dtype))
    n = input._array.size
    places = np.indices((n,) * r)
    ordered = np.ones((n,) * r, bool)
    for a, b in itertools.pairwise(places):
        ordered &= a <= b if with_replacement else a < b
    mask = wrap(ordered)
    return stack([each.masked_select(mask) for each in grid((input,) * r, "ij")], 1)


PUBLIC = (
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_shapes", "broadcast_tensors", "cartesian_prod",
    "combinations", "meshgrid",
)  # fmt: skip
