"""torch.nn.functional.pad, with its argument checks."""

from __future__ import annotations

from typing import Any

from .._arguments.argument_errors import check_ints, check_tensors
from .._aten.kernels import refuse_bools
from .._aten.nn.padding import REFLECTION, REPLICATION, Ints, constant_pad_nd
from .._aten.shape.slice_select import slice_
from .._autograd.tensor import Tensor
from .._c10.operator_facts import composite
from .._c10.shapes import refuse_negative


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
    ndim = input._array.ndim
    if len(lengths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(lengths) // 2 > ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(lengths)} and input of dimension {ndim}"
        )
    if mode == "constant":
        return constant_pad(input, lengths, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    spatial = len(lengths) // 2
    if spatial not in (1, 2, 3) or ndim not in (spatial + 1, spatial + 2):
        raise NotImplementedError(
            f"Padding size {len(lengths)} is not supported for {ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode == "circular":
        return _circular(input, lengths)
    _check(input, lengths, mode)
    return (REFLECTION if mode == "reflect" else REPLICATION)[spatial](input, lengths)


def _check(input: Tensor, lengths: Ints, mode: str) -> None:
    shape = input._array.shape
    spatial = len(lengths) // 2
    inner = shape[-(spatial + 1) :]
    if 0 in inner:
        raise RuntimeError(
            f"Expected {spatial + 1}D or {spatial + 2}D (batch mode) tensor with possibly 0 batch size and "
            f"other non-zero dimensions for input, but got: {list(shape)}"
        )
    for i in range(spatial):
        n, before, after = shape[len(shape) - 1 - i], lengths[2 * i], lengths[2 * i + 1]
        if mode == "reflect" and (before >= n or after >= n):
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({before}, {after}) at dimension {len(shape) - 1 - i} of input {list(shape)}"
            )
    refuse_bools(f"{'reflection' if mode == 'reflect' else 'replication'}_pad{spatial}d", input._array)
    have = shape[-spatial:]
    want = [have[spatial - 1 - i] + lengths[2 * i] + lengths[2 * i + 1] for i in reversed(range(spatial))]
    if all(n < 1 for n in want):
        names = "DHW"[-spatial:]
        inner_text = ", ".join(f"{a}: {n}" for a, n in zip(names, have, strict=True))
        outer_text = " ".join(f"{a}: {n}" for a, n in zip(names, want, strict=True))
        raise RuntimeError(f"input ({inner_text}) is too small. Calculated output {outer_text}")
    if mode == "reflect" and spatial == 2 and min(want) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    refuse_negative((*shape[:-spatial], *want))


def _circular(input: Tensor, lengths: Ints) -> Tensor:
    """Circular padding by copies of slices, each of which is recorded in the graph as in torch."""
    shape = list(input._array.shape)
    spatial, last = len(lengths) // 2, len(shape) - 1
    sizes = shape[:]
    for i in range(spatial):
        before, after, n = lengths[2 * i], lengths[2 * i + 1], shape[last - i]
        sizes[last - i] = n + before + after
        if before > n or after > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if sizes[last - i] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    out = input.new_empty(sizes)
    target, source = out, input
    for i in range(spatial):
        before, after, dim = lengths[2 * i], lengths[2 * i + 1], last - i
        target = slice_(target, dim, max(before, 0), sizes[dim] - max(after, 0), 1)
        source = slice_(source, dim, max(-before, 0), shape[dim] - max(-after, 0), 1)
    target.copy_(source)
    for i in range(spatial):
        before, after, dim = max(lengths[2 * i], 0), max(lengths[2 * i + 1], 0), last - i
        n = sizes[dim]
        if before:
            slice_(out, dim, 0, before, 1).copy_(slice_(out, dim, n - before - after, n - after, 1))
        if after:
            slice_(out, dim, n - after, n, 1).copy_(slice_(out, dim, before, before + after, 1))
    return out
