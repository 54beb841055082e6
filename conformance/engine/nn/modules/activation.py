"""Activations as modules."""

from __future__ import annotations

from ...tensor import Tensor
from .. import functional
from .module import Module


class ReLU(Module):
    """The positive part."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002
        return functional.relu(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002
        return input.tanh()  # type: ignore[no-any-return]


class Sigmoid(Module):
    """1 / (1 + exp(-input))."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002
        return input.sigmoid()  # type: ignore[no-any-return]
