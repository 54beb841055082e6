"""Helpers of batch rules that unwrap batched tensors and move the batch dimension; see Note [Batch rules].

"The value" of a batched tensor is the tensor that it wraps, which has the batch dimension as one dimension more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .._aten.registry import Row, bind
from .._autograd.batched_tensor import (
    BatchedTensor,
    data_dependent_error,
    level_of,
    make_batched,
    rebuild_sequence,
    unwrap_batched,
    vmaps,
)
from .._autograd.tensor import Tensor
from .jvp import call

Rule = Callable[[Row, tuple[Any, ...], dict[str, Any], int], Any]


def is_at(value: Any, level: int) -> bool:
    return value.__class__ is BatchedTensor and value._level == level


def sole_tensor(arguments: dict[str, Any], level: int) -> BatchedTensor:
    """``self``, of an operator whose other arguments are numbers.

    Raises:
        RuntimeError: one of these is batched: item() would read it.
    """
    self, *others = arguments.values()
    if level_of(others) >= 0:
        raise data_dependent_error("item", level)
    return self


def front(batch: BatchedTensor) -> Tensor:
    """The value with the batch dimension moved to the front (torch: moveBatchDimToFront)."""
    value, dim = unwrap_batched(batch)
    return value if dim == 0 else value.movedim(dim, 0)


def moved(batch: BatchedTensor, place: int = 0) -> Tensor:
    """The value with the batch dimension moved to ``place``; unlike ``front``, it calls movedim in any case."""
    value, dim = unwrap_batched(batch)
    return value.movedim(dim, place)


def wrapped(result: Any, level: int, dim: int = 0) -> Any:
    """Wrap each tensor of a result as a batched tensor whose batch dimension is ``dim``."""
    return each_tensor(lambda each: make_batched(each, dim, level), result)


def each_tensor(function: Callable[[Tensor], Any], result: Any) -> Any:
    """Apply a function to a tensor, or to each tensor of a sequence."""
    if isinstance(result, Tensor):
        return function(result)
    return rebuild_sequence(type(result), map(function, result))


def aligned(values: Iterable[Any], level: int, fronts: Sequence[Any] | None = None) -> list[Any]:
    """The values of operands, padded with dimensions of 1 so that they broadcast as the samples do.

    Args:
        fronts: the values with the batch dimension in front, if something was done to them.
    """
    values = list(values)
    rank = max(each._array.ndim for each in values if isinstance(each, Tensor))
    wholes = fronts or [front_of(each, level) for each in values]
    return [
        with_ones(whole, rank - each._array.ndim) if is_at(each, level) else whole
        for each, whole in zip(values, wholes, strict=True)
    ]


def padded(batch: BatchedTensor, rank: int) -> Tensor:
    """The value, with dimensions of 1 after the batch dimension up to ``rank`` (torch: maybePadToLogicalRank)."""
    return with_ones(front(batch), rank - batch._array.ndim)


def with_ones(value: Tensor, number: int) -> Tensor:
    """A view with ``number`` dimensions of 1 after the first dimension; the tensor itself for none."""
    if number <= 0:
        return value
    size, *sides = value._array.shape
    return value.view((size, *(1,) * number, *sides))


def front_of(value: Any, level: int) -> Any:
    return front(value) if is_at(value, level) else value


def ranks(*values: Any) -> tuple[int, ...]:
    return tuple(each._array.ndim for each in values)


def front_or_expanded(value: Tensor, level: int) -> Tensor:
    return front(value) if is_at(value, level) else value.expand((vmaps[level].size, *value._array.shape))


def fronted(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """The rule of operators that accept leading batch dimensions: one call with the values."""
    arguments = {name: front_of(each, level) for name, each in bind(row, args, kwargs).items()}
    return wrapped(call(row, arguments), level)


def into(value: Tensor, dim: int, place: int) -> Tensor:
    """Merge the batch dimension ``dim`` into the sample's dimension ``place`` (torch: reshape_dim_into)."""
    rest = [each for each in range(value._array.ndim) if each != dim]
    moved = value.permute(*rest[:place], dim, *rest[place:])
    shape = moved._array.shape
    return moved.reshape((*shape[:place], shape[place] * shape[place + 1], *shape[place + 2 :]))


def out_of(found: Tensor, place: int, size: int) -> Tensor:
    """Split a dimension of length ``size`` off the front of dimension ``place`` (torch: reshape_dim_outof)."""
    shape = found._array.shape
    return found.reshape((*shape[:place], size, shape[place] // max(size, 1), *shape[place + 1 :]))
