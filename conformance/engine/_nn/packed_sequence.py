"""PackedSequence, and the functions that pack and pad sequences (torch: nn/utils/rnn.py)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._aten.creation.factories import empty, empty_like, full
from .._aten.creation.from_data import as_tensor
from .._aten.nn.packed_sequence import pack_padded_sequence as pack_row
from .._aten.reduction.sort import sort
from .._aten.type_promotion import check_list
from .._autograd.tensor import Tensor, make, wrap
from .._autograd.views import increment_version
from .._c10.dtypes import float32, float64, int64
from .._c10.errors import need_fitting


class PackedSequence_(NamedTuple):
    """The fields of PackedSequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


PackedSequence_.__module__ = "torch.nn.utils.rnn"


class PackedSequence(PackedSequence_):
    """The elements of all sequences ordered by time step, and the batch size at each step."""

    def __new__(
        cls, data: Tensor, batch_sizes: Tensor | None = None, sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:  # fmt: skip
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The sequence in another dtype, or itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        if "copy" in kwargs:
            raise RuntimeError(".to() does not accept copy argument")
        return type(self)(data, *self[1:])

    def cpu(self) -> PackedSequence:
        """The sequence itself, since there is no other device."""
        return self

    def double(self) -> PackedSequence:
        """The sequence in float64."""
        return self.to(float64)

    def float(self) -> PackedSequence:
        """The sequence in float32."""
        return self.to(float32)

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a GPU: never."""
        return False


PackedSequence.__module__ = "torch.nn.utils.rnn"


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The inverse of a permutation."""
    if permutation is None:
        return None
    found: Tensor = empty_like(permutation)
    return found.scatter_(0, permutation, wrap(np.arange(permutation.numel())))


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch of sequences.

    Args:
        input: (time, batch, ...), or (batch, time, ...) with ``batch_first``.
        lengths: the length of each sequence.
        enforce_sorted: require decreasing lengths; otherwise the sequences are sorted.
    """
    lengths = as_tensor(lengths, dtype=int64)
    order = None
    if not enforce_sorted:
        lengths, order = sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    row: Any = pack_row
    data, sizes = row(input, lengths, batch_first)
    return PackedSequence(data, sizes, order)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Pad a packed batch of sequences; returns the batch and the lengths."""
    sizes = sequence.batch_sizes._array.tolist()
    need_fitting(total_length is None or total_length >= len(sizes), "pad_packed_sequence")
    data, batch = sequence.data, sizes[0]
    rest = data._array.shape[1:]
    padded = empty((total_length or len(sizes), batch, *rest), dtype=data.dtype).fill_(padding_value)
    start = since = 0
    lengths = np.zeros(batch, np.int64)
    for i, n in enumerate([*sizes[1:], 0], 1):
        before = sizes[i - 1]
        if n != before:
            count = before * (i - since)
            part = data[start : start + count].view(i - since, before, *rest)
            padded[since:i][:, :before].copy_(part)
            start, since = start + count, i
            lengths[n:before] = i
    if batch_first:
        padded = padded.transpose(0, 1)
    found = make(lengths)
    if sequence.unsorted_indices is None:
        return padded, found
    order = sequence.unsorted_indices
    return padded.index_select(0 if batch_first else 1, order), found[order]


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stack sequences, padded to the length of the longest.

    Raises:
        RuntimeError: their trailing sizes differ.
    """
    tensors = tuple(sequences)
    check_list(tensors)
    need_fitting(padding_side in ("left", "right"), "pad_sequence")
    longest = max(each.size(0) for each in tensors)
    lead = (len(tensors), longest) if batch_first else (longest, len(tensors))
    found: Tensor = full((*lead, *tensors[0].shape[1:]), padding_value, dtype=tensors[0].dtype)
    increment_version(found)  # torch fills a new tensor in place
    for i, each in enumerate(tensors):
        length = each.size(0)
        start = longest - length if padding_side == "left" else 0
        if batch_first:
            found.select(0, i).narrow(0, start, length).copy_(each)
        else:
            found.narrow(0, start, length).select(1, i).copy_(each)
    return found


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Split a padded batch into sequences; without ``batch_first`` the batch is transposed in place."""
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    places = wrap(np.arange(padded_sequences.shape[1]))
    return [each[places < length] for each, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences."""
    lengths = as_tensor([each.size(0) for each in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Split a packed batch into sequences."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
