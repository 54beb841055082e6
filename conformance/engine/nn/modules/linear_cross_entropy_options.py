"""The options of chunked linear_cross_entropy (torch: nn/modules/linear_cross_entropy_options.py)."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..._c10 import dtypes, pickling

# The policy and chunks of "auto", by dtype.
_AUTO = {dtypes.bfloat16: ("accurate", "aspect_ratio"), dtypes.float16: ("accurate", "aspect_ratio")}


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Options of linear_cross_entropy without the logits of the whole batch in memory.

    Raises:
        ValueError: an option has an unknown value.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    __reduce_ex__ = pickling.reduce

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = self.chunking_method.partition(":")
            if name != "aspect_ratio" or (colon and not (factor.isdigit() and int(factor))):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype not in (None, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64):
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, got "
                f"{self.acc_dtype!r}. Pass acc_dtype=None to let the op pick automatically."
            )

    def _adjust(
        self, num_batches: int, in_features: int, num_classes: int, dtype: Any, device: Any = None
    ) -> LinearCrossEntropyOptions:
        """The options adjusted to a batch of this size."""
        policy, method = self.acc_policy, self.chunking_method
        if method == "auto" and self.batch_chunk_size is not None:
            method = None
        usual = _AUTO.get(dtype) if device is not None else None
        usual_policy, usual_method = usual or ("compact", "aspect_ratio:2")
        policy = usual_policy if policy == "auto" else policy
        method = usual_method if method == "auto" else method
        size = num_batches if self.batch_chunk_size is None else min(self.batch_chunk_size, num_batches)
        if method is not None:
            size = _of_aspect(method, num_batches, in_features, num_classes)
            if self.batch_chunk_size not in (None, size):
                raise ValueError(
                    f"batch_chunk_size (={self.batch_chunk_size}) and chunking_method ('{method}') give different "
                    f"chunk sizes ({self.batch_chunk_size} vs {size}); pass only one."
                )
        kind = self.acc_dtype
        if kind is None:
            wider = self.acc_policy == "auto" and usual is not None
            kind = dtypes.float32 if wider else dtype
        return dataclasses.replace(
            self, acc_policy=policy, chunking_method=method, batch_chunk_size=max(1, size), acc_dtype=kind
        )


def _of_aspect(method: str, num_batches: int, in_features: int, num_classes: int) -> int:
    """A chunk size whose logits take as much memory as the input, or a fraction of that."""
    wanted = -(-num_batches // -(-num_classes // in_features))
    return min((1 << (wanted - 1).bit_length()) // int(method.partition(":")[2] or 1), num_batches)
