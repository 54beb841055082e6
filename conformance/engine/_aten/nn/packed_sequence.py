"""_pack_padded_sequence: sequences of different lengths without padding (torch: native/PackedSequence.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._autograd.tensor import Tensor
from ..._c10.errors import need_fitting
from ..creation.factories import zeros
from ..registry import Array, op


def _check(input: Array, lengths: Array, batch_first: bool) -> None:
    batch = input.shape[0 if batch_first else 1]
    fits = input.size and lengths.shape == (batch,)
    need_fitting(fits and lengths[-1] > 0, "pack_padded_sequence")
    if np.any(np.diff(lengths) > 0):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )


@op(
    "PackPaddedSequenceBackward0",
    name="_pack_padded_sequence",
    tensors="lengths",
    outputs="result0 result1",
    input=lambda grads, input_sym_sizes, result1, batch_first: _unpacked(
        grads[0], input_sym_sizes, result1, batch_first
    ),
)
def pack_padded_sequence(input: Array, lengths: Array, batch_first: bool) -> tuple[Array, Array]:
    """The elements of each time step, longest sequence first, and the batch size of each step."""
    _check(input, lengths, batch_first)
    steps = np.arange(int(lengths[0]))
    sizes = (lengths[None, :] > steps[:, None]).sum(1)
    times = input.swapaxes(0, 1) if batch_first else input
    # torch does not check the longest sequence, and reads past the end of the input
    return np.concatenate([each[:n] for each, n in zip(times[: len(sizes)], sizes, strict=True)]), sizes


def _unpacked(grad: Tensor, shape: Any, batch_sizes: Tensor, batch_first: bool) -> Tensor:
    first, second, *rest = shape
    result = zeros(*((second, first) if batch_first else (first, second)), *rest, dtype=grad.dtype)
    result.zero_()  # bumps the version once, like torch's at::zeros
    start = 0
    for i, n in enumerate(batch_sizes._array.tolist()):
        result[i][:n].copy_(grad[start : start + n])
        start += n
    return result.transpose(0, 1) if batch_first else result
