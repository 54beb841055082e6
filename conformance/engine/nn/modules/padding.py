"""The padding modules: a class for each mode and number of dimensions."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from .. import functional
from ._sizes import by_dims, each
from .module import Module


class _PadNd(Module):
    _spatial: int
    _mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = each(padding, 2 * self._spatial)

    def forward(self, input: Tensor) -> Tensor:
        return functional.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        n, ndim = self._spatial, input.dim()
        if ndim not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {ndim}D input)")
        return super().forward(input)


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


CircularPad1d, CircularPad2d, CircularPad3d = by_dims(
    "CircularPad", _CircularPadNd, "Circular padding around {}."
)
ConstantPad1d, ConstantPad2d, ConstantPad3d = by_dims(
    "ConstantPad", _ConstantPadNd, "Constant padding around {}."
)
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = by_dims(
    "ReflectionPad", _ReflectionPadNd, "Reflection padding around {}."
)
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = by_dims(
    "ReplicationPad", _ReplicationPadNd, "Replication padding around {}."
)
ZeroPad1d, ZeroPad2d, ZeroPad3d = by_dims("ZeroPad", _ZeroPadNd, "Zero padding around {}.")
