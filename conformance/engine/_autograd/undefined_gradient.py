"""Operations without a derivative: backward through their node raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .tensor import Tensor


def unsupported(operation: str) -> Callable[[Tensor], Any]:
    """The formula of an operation that torch cannot differentiate; the node of its row is ``NotImplemented``."""

    def formula(grad: Tensor) -> str:
        return f"aten::{operation}"

    return formula


def undefined(what: str) -> Callable[[Tensor], Any]:
    """The missing formula of one input of an operation that torch can differentiate by its other inputs."""

    def formula(grad: Tensor) -> NoReturn:
        raise NotImplementedError(f"the derivative for '{what}' is not implemented.")

    return formula
