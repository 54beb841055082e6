"""The padding modules: a class for each mode and number of dimensions."""

from __future__ import annotations

from typing import Any

from ..._autograd.tensor import Tensor
from .. import functional
from ._sizes import each
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


def _of(base: type[_PadNd], spatial: int) -> Any:
    name = base.__name__.strip("_").replace("Nd", f"{spatial}d")
    text = f"{base.__name__.strip('_').removesuffix('PadNd')} padding around {spatial} dimensions."
    return type(name, (base,), {"_spatial": spatial, "__doc__": text, "__module__": __name__})


CircularPad1d, CircularPad2d, CircularPad3d = (_of(_CircularPadNd, n) for n in (1, 2, 3))
ConstantPad1d, ConstantPad2d, ConstantPad3d = (_of(_ConstantPadNd, n) for n in (1, 2, 3))
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = (_of(_ReflectionPadNd, n) for n in (1, 2, 3))
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = (_of(_ReplicationPadNd, n) for n in (1, 2, 3))
ZeroPad1d, ZeroPad2d, ZeroPad3d = (_of(_ZeroPadNd, n) for n in (1, 2, 3))
