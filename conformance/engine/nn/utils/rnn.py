"""torch.nn.utils.rnn."""

from ...absent import look_up
from ..functions.packing import (
    PackedSequence,
    PackedSequence_,
    invert_permutation,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpack_sequence,
    unpad_sequence,
)  # fmt: skip

__all__ = [
    "PackedSequence", "PackedSequence_", "invert_permutation", "pack_padded_sequence", "pack_sequence",
    "pad_packed_sequence", "pad_sequence", "unpack_sequence", "unpad_sequence",
]  # fmt: skip

__getattr__ = look_up("torch.nn.utils.rnn")
