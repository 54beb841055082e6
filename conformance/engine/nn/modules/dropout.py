"""The dropout modules, which zero elements or channels at random in training."""

from __future__ import annotations

from ..._autograd.tensor import Tensor
from .. import functional
from ._sizes import by_dims
from .module import Module


class _DropoutNd(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Dropout of single elements."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout(input, self.p, self.training, self.inplace)


class _DropoutOfChannels(_DropoutNd):
    _spatial: int

    def forward(self, input: Tensor) -> Tensor:
        drop = getattr(functional, f"dropout{self._spatial}d")
        return drop(input, self.p, self.training, self.inplace)


Dropout1d, Dropout2d, Dropout3d = by_dims("Dropout", _DropoutOfChannels, "Dropout of channels over {}.")


class AlphaDropout(_DropoutNd):
    """Dropout for selu networks, which keeps mean and standard deviation."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.feature_alpha_dropout(input, self.p, self.training)
