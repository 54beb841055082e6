"""torch.hash_tensor: the xor of all elements' bits, as doubles or integers (torch: native/ReduceOps.cpp)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._c10.errors import unimplemented
from ..._c10.operator_facts import Out
from ..registry import Array, op
from .sum_mean_prod import axes_of

PUBLIC = ("hash_tensor",)


@op(
    name="hash_tensor",
    tensors="self",
    vmap="fallback",
    operator="hash_tensor",
    out=Out("Expected result to be of dtype uint64, but got {Got}"),
)
def hash_tensor(self: Array, dim: Any = (), *, keepdim: bool = False, mode: int = 0) -> Array:
    """The exclusive or of the elements as uint64, over all dimensions or the given ones.

    Raises:
        RuntimeError: ``mode`` is not 0, or the reduction is empty.
        NotImplementedError: the dtype is complex.
    """
    axes = axes_of(None if isinstance(dim, (tuple, list)) and not dim else dim, self.ndim)
    if not self.size:
        if dim is None or (isinstance(dim, (tuple, list)) and not dim):
            raise RuntimeError(
                "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
                "the 'dim' argument."
            )
        for axis in axes:
            if not self.shape[axis]:
                raise IndexError(f"hash_tensor: Expected reduction dim {axis} to have non-zero size.")
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if self.dtype.kind == "c":
        raise unimplemented("xor_sum_cpu", self.dtype)
    wide = self.astype(np.float64 if self.dtype.kind in "fV" else np.int64)
    return np.asarray(np.bitwise_xor.reduce(wide.view(np.uint64), axis=axes, keepdims=keepdim))
