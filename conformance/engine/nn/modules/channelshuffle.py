"""The ChannelShuffle module."""

from __future__ import annotations

from ..._autograd.tensor import Tensor
from .. import functional
from .module import Module


class ChannelShuffle(Module):
    """Interleaves the channels of the groups."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return functional.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
