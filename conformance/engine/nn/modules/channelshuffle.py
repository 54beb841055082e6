"""The ChannelShuffle module."""

from ._applied import module_of

ChannelShuffle = module_of(
    "ChannelShuffle",
    "channel_shuffle",
    "Interleaves the channels of the groups.",
    "groups={0.groups}",
    "groups",
)
