"""Operations without a derivative, whose node says so when backward reaches it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .tensor import Tensor


def unsupported(operation: str) -> Callable[[Tensor], Any]:
    """The formula of an operation that torch has no derivative of; its row's node is ``NotImplemented``."""

    def formula(grad: Tensor) -> str:
        return f"aten::{operation}"

    return formula


def undefined(what: str) -> Callable[[Tensor], Any]:
    """The formula that torch leaves out of an operation that it can differentiate otherwise."""

    def formula(grad: Tensor) -> NoReturn:
        raise NotImplementedError(f"the derivative for '{what}' is not implemented.")

    return formula
