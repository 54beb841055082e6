"""atleast_1d, atleast_2d and atleast_3d."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._autograd.tensor import Tensor
from ..type_promotion import check_list


def given_tensors(tensors: tuple[Any, ...]) -> tuple[Tensor, ...]:
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    check_list(tensors)
    return tensors


def grown(grow: Callable[[Tensor], Tensor], tensors: tuple[Any, ...]) -> Any:
    """One tensor, or several, with more dimensions."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return grow(tensors[0])
    return tuple(grow(each) for each in given_tensors(tensors))


def one(tensor: Tensor) -> Tensor:
    return tensor if tensor._array.ndim else tensor.reshape(1)


def two(tensor: Tensor) -> Tensor:
    ndim = tensor._array.ndim
    return tensor.reshape(1, 1) if ndim == 0 else tensor.unsqueeze(0) if ndim == 1 else tensor


def three(tensor: Tensor) -> Tensor:
    ndim = tensor._array.ndim
    if ndim == 0:
        return tensor.reshape(1, 1, 1)
    if ndim == 1:
        return tensor.unsqueeze(0).unsqueeze(-1)
    return tensor.unsqueeze(-1) if ndim == 2 else tensor
