"""unbind, split, chunk and tensor_split, whose several outputs are views; the unsafe_ variants."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._arguments.overloads import are_all_ints, argument_error
from ..._autograd.tensor import Tensor, make
from ..._c10.operator_facts import composite
from ..._c10.shapes import existing_dim, wrap_dim
from ..registry import ROWS, Array, op
from .cat_stack import cat, stack
from .slice_select import slice_


def defined(grads: Sequence[Tensor | None], metadata: Any) -> list[Tensor]:
    """Gradients of several outputs, zeros where one is undefined."""
    return [
        make(np.zeros(shape, kind)) if each is None else each
        for each, (shape, kind) in zip(grads, metadata, strict=True)
    ]


@op(
    "UnbindBackward0",
    view="multi_output",
    overload="int",
    complex="holomorphic",
    vmap="along",
    self=lambda grads, metadata, dim: stack(defined(grads, metadata), dim),
)
def unbind(self: Array, dim: Any = 0) -> Any:
    """The entries along a dimension, as views."""
    axis = existing_dim(wrap_dim(dim, self.ndim), self.ndim)
    lead = (slice(None),) * axis
    return [self[(*lead, i, ...)] for i in range(self.shape[axis])]


def _pieces(self: Array, axis: int, lengths: Sequence[int]) -> list[Array]:
    lead = (slice(None),) * axis
    result, start = [], 0
    for n in lengths:
        if n or not self.size:
            result.append(self[(*lead, slice(start, start + n))])
        else:
            result.append(ROWS["slice"].forward(self, axis, start, start))  # numpy's empty slice has offset 0
        start += n
    return result


@op(
    "SplitBackward0",
    name="split",
    view="multi_output",
    overload="Tensor",
    complex="holomorphic",
    vmap="along",
    self=lambda grads, metadata, self_sym_sizes, split_size, dim: cat(
        defined(grads, metadata), wrap_dim(dim, len(self_sym_sizes))
    ),
)
def _split(self: Array, split_size: int, dim: Any = 0) -> Any:
    if self.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis = wrap_dim(dim, self.ndim)
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    n = self.shape[axis]
    if split_size == 0:
        if n:
            raise RuntimeError(
                f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}"
            )
        return [self[...]]
    count = max(1, -(-n // split_size))
    return _pieces(self, axis, [min(split_size, n - i * split_size) for i in range(count)])


@op(
    "SplitWithSizesBackward0",
    view="multi_output",
    complex="holomorphic",
    vmap="along",
    self=lambda grads, metadata, self_sym_sizes, split_sizes, dim: cat(
        defined(grads, metadata), wrap_dim(dim, len(self_sym_sizes))
    ),
)
def split_with_sizes(self: Array, split_sizes: Any, dim: Any = 0) -> Any:
    """Pieces of given lengths along a dimension, as views."""
    if not self.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis = wrap_dim(dim, self.ndim)
    if any(n < 0 for n in split_sizes):
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(split_sizes)}"
        )
    if sum(split_sizes) != self.shape[axis]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {self.shape[axis]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(split_sizes)}"
        )
    return _pieces(self, axis, split_sizes)


@composite(vmap="decompose")
def split(tensor: Tensor, split_size_or_sections: Any, dim: Any = 0) -> Any:
    """Pieces along a dimension, of one length or of given ones."""
    if isinstance(split_size_or_sections, Tensor):
        split_size_or_sections = int(split_size_or_sections)
    if isinstance(split_size_or_sections, int):
        if split_size_or_sections.__class__ is bool or dim.__class__ is not int:
            _refuse("_VF.split", (tensor, split_size_or_sections, dim))
        return _split(tensor, split_size_or_sections, dim)
    if dim.__class__ is not int or not are_all_ints(split_size_or_sections):
        _refuse("split_with_sizes", (tensor, split_size_or_sections, dim))
    return split_with_sizes(tensor, tuple(split_size_or_sections), dim)


def _refuse(name: str, arguments: tuple[Any, ...]) -> None:
    """Refuse arguments that torch's function of that name, which its split calls, does not take."""
    result = argument_error(name, arguments, {})
    if result is not None:
        raise result


@composite(vmap="decompose")
def chunk(input: Tensor, chunks: Any, dim: Any = 0) -> Any:
    """At most ``chunks`` pieces of equal length."""
    size = _chunk_size(input._array, chunks, dim)
    return _split(input, size, dim) if size else split_with_sizes(input, (0,) * chunks, dim)


def _chunk_size(array: Array, chunks: int, dim: Any) -> int:
    if array.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return -(-array.shape[wrap_dim(dim, array.ndim)] // chunks)


@composite(vmap="decompose")
def tensor_split(input: Tensor, indices_or_sections: Any, dim: Any = 0) -> Any:
    """Pieces split at given indices, or into a number of nearly equal sections; each is a separate slice."""
    if input._array.ndim == 0:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    axis = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[axis]
    if isinstance(indices_or_sections, Tensor):
        if indices_or_sections._array.dtype != np.int64:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                + indices_or_sections.dtype.legacy
            )
        if indices_or_sections._array.ndim > 1:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                f"one-dimensional tensor, but got a tensor with {indices_or_sections._array.ndim} dims"
            )
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {count}")
        bounds = [0]
        for i in range(count):
            bounds.append(bounds[-1] + n // count + (1 if i < n % count else 0))
    else:
        bounds = [0, *indices_or_sections, n]
    return tuple(slice_(input, axis, a, b, 1) for a, b in itertools.pairwise(bounds))


def _split_along(name: str, axis_of: Any, least: int, text: str) -> Any:
    @composite(vmap="decompose")
    def split_along(input: Tensor, indices_or_sections: Any) -> Any:
        ndim = input._array.ndim
        if ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                f"{ndim} dimensions!"
            )
        if isinstance(indices_or_sections, Tensor) and indices_or_sections._array.ndim:
            raise TypeError(
                f"{name}() takes no tensor of indices"
            )  # _arguments/overloads.py makes torch's error
        axis = axis_of(ndim)
        if isinstance(indices_or_sections, int):
            n = input._array.shape[axis]
            if indices_or_sections == 0 or n % indices_or_sections:
                raise RuntimeError(
                    f"torch.{name} attempted to split along dimension {axis}, but the size of the dimension {n} is not "
                    f"divisible by the split_size {indices_or_sections}!"
                )
        return tensor_split(input, indices_or_sections, axis)

    split_along.__name__, split_along.__doc__ = name, text
    return split_along


hsplit = _split_along("hsplit", lambda ndim: 0 if ndim == 1 else 1, 1, "Pieces from left to right.")
vsplit = _split_along("vsplit", lambda ndim: 0, 2, "Pieces from top to bottom.")
dsplit = _split_along("dsplit", lambda ndim: 2, 3, "Pieces from front to back.")


# Unsafe variants ----------------------------------------------------------------------------------


@op(
    "UnsafeSplitBackward0",
    name="unsafe_split",
    outputs="first others",
    overload="Tensor",
    complex="holomorphic",
    jvp="auto_linear",
    vmap="along",
    **ROWS["split"].formulas,
)
def _unsafe_split(self: Array, split_size: int, dim: Any = 0) -> Any:
    return ROWS["split"].forward(self, split_size, dim)


@op(
    "UnsafeSplitWithSizesBackward0",
    outputs="first others",
    complex="holomorphic",
    jvp="auto_linear",
    **ROWS["split_with_sizes"].formulas,
)
def unsafe_split_with_sizes(self: Array, split_sizes: Any, dim: Any = 0) -> Any:
    """split_with_sizes whose outputs share the storage, but do not count as views."""
    return ROWS["split_with_sizes"].forward(self, split_sizes, dim)


@composite(vmap="decompose")
def unsafe_split(tensor: Tensor, split_size: int, dim: Any = 0) -> Any:
    """split whose outputs share the storage, but do not count as views."""
    return _unsafe_split(tensor, split_size, dim)


@composite(vmap="decompose")
def unsafe_chunk(input: Tensor, chunks: int, dim: Any = 0) -> Any:
    """chunk whose outputs share the storage, but do not count as views."""
    size = _chunk_size(input._array, chunks, dim)
    return _unsafe_split(input, size, dim) if size else unsafe_split_with_sizes(input, (0,) * chunks, dim)
