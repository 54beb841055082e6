"""torch.nn.functional.pad, with its argument checks."""

from __future__ import annotations

from typing import Any

from .._arguments.argument_errors import check_ints, check_tensors
from .._aten.kernels import refuse_bools
from .._aten.nn.padding import REFLECTION, REPLICATION, Ints, constant_pad_nd
from .._aten.shape.slice_select import slice_
from .._autograd.tensor import Tensor
from .._c10.errors import need_fitting
from .._c10.operator_facts import composite


@composite(vmap="decompose")
def constant_pad(input: Tensor, pad: Any, value: Any = 0) -> Tensor:
    """Pad the last dimensions with a constant."""
    return constant_pad_nd(input, tuple(int(n) for n in pad), value)


@composite(vmap="decompose")
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Pad the last dimensions; ``pad`` lists the sizes before and after, beginning with the last dimension."""
    check_tensors("pad", input=input)
    check_ints("pad", "pad", pad, 2, alone=False)
    lengths = tuple(int(n) for n in pad)
    if mode == "constant":
        return constant_pad(input, lengths, 0 if value is None else value)
    fits = mode in ("reflect", "replicate", "circular") and not value and len(lengths) in (2, 4, 6)
    spatial = len(lengths) // 2
    need_fitting(fits and input._array.ndim in (spatial + 1, spatial + 2), "pad")
    if mode == "circular":
        return _circular(input, lengths)
    _check(input, lengths, mode)
    return (REFLECTION if mode == "reflect" else REPLICATION)[spatial](input, lengths)


def _check(input: Tensor, lengths: Ints, mode: str) -> None:
    shape = input._array.shape
    spatial = len(lengths) // 2
    refuse_bools(f"{'reflection' if mode == 'reflect' else 'replication'}_pad{spatial}d", input._array)
    fits = 0 not in shape[-(spatial + 1) :]
    sizes = []
    for i in range(spatial):
        n, before, after = shape[len(shape) - 1 - i], lengths[2 * i], lengths[2 * i + 1]
        sizes.append(n + before + after)
        fits = fits and (mode != "reflect" or max(before, after) < n)
    need_fitting(fits and min(sizes) >= 0 and max(sizes) > 0, "pad")


def _circular(input: Tensor, lengths: Ints) -> Tensor:
    """Circular padding by copies of slices, each of which is recorded in the graph as in torch."""
    shape = list(input._array.shape)
    spatial, last = len(lengths) // 2, len(shape) - 1
    sizes = shape[:]
    for i in range(spatial):
        before, after, n = lengths[2 * i], lengths[2 * i + 1], shape[last - i]
        sizes[last - i] = n + before + after
        need_fitting(max(before, after) <= n, "pad")
    out = input.new_empty(sizes)
    target, source = out, input
    for i in range(spatial):
        before, after, dim = lengths[2 * i], lengths[2 * i + 1], last - i
        target = slice_(target, dim, max(before, 0), sizes[dim] - max(after, 0))
        source = slice_(source, dim, max(-before, 0), shape[dim] - max(-after, 0))
    target.copy_(source)
    for i in range(spatial):
        before, after, dim = max(lengths[2 * i], 0), max(lengths[2 * i + 1], 0), last - i
        n = sizes[dim]
        if before:
            slice_(out, dim, 0, before).copy_(slice_(out, dim, n - before - after, n - after))
        if after:
            slice_(out, dim, n - after, n).copy_(slice_(out, dim, before, before + after))
    return out
