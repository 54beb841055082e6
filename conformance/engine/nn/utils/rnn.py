"""torch.nn.utils.rnn."""

from ..._arguments.absent_names import look_up
from ..._nn.packed_sequence import (
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
