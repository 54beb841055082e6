"""Argument checks of pooling (torch: native/Pool.h, AdaptivePooling.h)."""

from __future__ import annotations

from .._aten.kernels import need_floats
from .._aten.nn.pool_windows import Ints, complete, output_sizes
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting


def check_input(name: str, input: Tensor, spatial: int) -> None:
    """Check that there is a channel and at most a batch, and that only the batch is empty, if any."""
    shape = input._array.shape
    if len(shape) not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"non-empty {spatial + 1}D or {spatial + 2}D (batch mode) tensor expected for input"
        )
    need_fitting(0 not in shape[-spatial - 1 :], name)


def check_sizes(input: Tensor, spatial: int, settings: list[Ints], ceil_mode: bool) -> None:
    shape = input._array.shape
    out = output_sizes(shape[-spatial:], complete(spatial, *settings), ceil_mode)
    if any(n < 1 for n in out):
        have, want = (
            "x".join(map(str, each)) for each in (shape[-spatial - 1 :], (shape[-spatial - 1], *out))
        )
        raise RuntimeError(
            f"Given input size: ({have}). Calculated output size: ({want}). Output size is too small"
        )


def check_adaptive(name: str, input: Tensor, spatial: int, out: Ints) -> None:
    """Check sizes and dtype for adaptive pooling."""
    need_fitting(min(out) >= 0, name)
    if "avg" in name and all(n == 1 for n in out):
        return  # computed by mean, which has its own checks
    need_fitting(input._array.ndim in (spatial + 1, spatial + 2), name)
    need_fitting(0 not in input._array.shape[-spatial - 1 :], name)
    need_floats(name, input._array)
