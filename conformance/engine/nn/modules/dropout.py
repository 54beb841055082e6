"""The dropout modules, which zero elements or channels at random in training."""

from __future__ import annotations

from ._applied import _Applied
from ._sizes import by_dims


class _DropoutNd(_Applied):
    _passes: tuple[str, ...] = ("p", "training", "inplace")
    _shows = "p={0.p}, inplace={0.inplace}"

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace


class _DropoutOfChannels(_DropoutNd):
    _function = "dropout{}d"


class Dropout(_DropoutNd):
    """Dropout of single elements."""

    _function = "dropout"


class AlphaDropout(_DropoutNd):
    """Dropout for selu networks, which keeps mean and standard deviation."""

    _function, _passes = "alpha_dropout", ("p", "training")


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    _function, _passes = "feature_alpha_dropout", ("p", "training")


Dropout1d, Dropout2d, Dropout3d = by_dims("Dropout", _DropoutOfChannels, "Dropout of channels over {}.")
