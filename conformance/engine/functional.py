"""torch.functional: the top-level functions that torch writes in Python."""

import sys
from typing import Any

from ._arguments.absent_names import look_up

__all__ = [  # noqa: F822  found below
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "cdist",
    "chain_matmul",
    "einsum",
    "istft",
    "lu",
    "meshgrid",
    "norm",
    "pca_lowrank",
    "split",
    "stft",
    "svd_lowrank",
    "tensordot",
    "unique",
    "unique_consecutive",
    "unravel_index",
]
_look_up = look_up("torch.functional")


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(sys.modules[__name__.rpartition(".")[0]], name)
    return _look_up(name)
