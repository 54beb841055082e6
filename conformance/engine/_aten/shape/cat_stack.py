"""Tensors joined into one: along a dimension, along a new one, as blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._autograd import batched_tensor
from ..._autograd.tensor import Tensor, make
from ..._c10 import dtypes
from ..._c10.layout import following, suggest_memory_format
from ..._c10.operator_facts import Out, composite, without_defaults
from ..._c10.shapes import ordered, viewed, wrap_dim
from ..registry import ROWS, Array, op
from ..type_promotion import check_list
from .atleast import grown, one, three, two
from .slice_select import slice_


def _cat_parts(grad: Tensor, places: Sequence[tuple[tuple[int, ...], bool]], dim: Any) -> list[Tensor]:
    result, start = [], 0
    real: Tensor | None = None if grad._array.dtype.kind == "c" else grad
    for shape, is_complex in places:
        if shape == (0,):  # an empty 1-d tensor joins anything
            result.append(make(np.zeros(0, grad._array.dtype)).zero_())  # one version, as torch's zeros
            continue
        dim %= len(shape)
        n = shape[dim]
        if not is_complex and real is None:
            real = grad.real  # once for all that are real
        part = grad if real is None or is_complex else real
        result.append(part.narrow(dim, start, n))
        start += n
    return result


@op(
    "CatBackward0",
    name="cat",
    lists="tensors",
    complex="holomorphic",
    jvp="auto_linear",
    autocast="promote",
    schema_args=lambda tensors, dim=0, *further: (without_defaults((0,), (tensors, dim)), {}),
    out=Out(memory="separate"),
    inputs={"tensors": lambda grad, _tensors_places, dim: _cat_parts(grad, _tensors_places, dim)},
)
def _cat(tensors: Any, dim: Any, _tensors_places: Any) -> Array:
    kind = dtypes.result_dtype(*tensors)
    joined = [each for each in tensors if each.shape != (0,)] or list(tensors)
    first = joined[0]
    if first.shape == (0,):  # there are no others, and torch does not look at dim
        return np.zeros(0, kind)
    axis = wrap_dim(dim, first.ndim)
    for number, each in enumerate(joined):
        if each.ndim != first.ndim:
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {first.ndim} and {each.ndim}"
            )
        for i, (a, b) in enumerate(zip(first.shape, each.shape, strict=True)):
            if i != axis and a != b:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {a} but got size {b} for "
                    f"tensor number {number} in the list."
                )
    result = np.concatenate(joined, axis, dtype=kind)
    formats = {suggest_memory_format(each) for each in tensors}
    return following(result, first) if len(formats) == 1 else ordered(result)


@composite(variants="function", vmap="decompose", out=True)
def cat(tensors: Any, dim: Any = 0) -> Tensor:
    """Tensors joined along a dimension."""
    check_list(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for number, each in enumerate(tensors):
        if each._array.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {number}) cannot be concatenated")
    places = tuple((t._array.shape, t._array.dtype.kind == "c") for t in tensors)
    return _cat(tensors, dim, places)


concat = concatenate = cat


@op(
    "StackBackward0",
    name="stack",
    lists="tensors",
    complex="holomorphic",
    jvp="auto_linear",
    autocast="promote",
    out=Out(memory="separate"),
    inputs={"tensors": lambda grad, dim: [grad.select(dim, i) for i in range(grad._array.shape[dim])]},
)
def _stack(tensors: Any, dim: Any = 0) -> Array:
    kind = dtypes.result_dtype(*tensors)
    axis = wrap_dim(dim, tensors[0].ndim + 1)
    for number, each in enumerate(tensors):
        if each.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and "
                f"{list(each.shape)} at entry {number}"
            )
    shape = tensors[0].shape
    if axis == len(shape):
        return np.ascontiguousarray(np.stack([each.astype(kind, copy=False) for each in tensors], axis))
    joined = ROWS["cat"].forward(tensors, axis, ())  # its memory format decides the layout
    return viewed(joined.astype(kind, copy=False), (*shape[:axis], len(tensors), *shape[axis:]))


@composite(variants="function", vmap="decompose", out=True)
def stack(tensors: Any, dim: Any = 0) -> Tensor:
    """Tensors joined along a new dimension."""
    _refuse_empty("stack", tensors)
    return _stack(tensors, dim)


# Rows, columns, blocks ----------------------------------------------------------------------------


def _refuse_empty(name: str, tensors: Any) -> None:
    check_list(tensors)
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")


@composite(variants="function", vmap="decompose", out=True)
def hstack(tensors: Any) -> Tensor:
    """Tensors joined horizontally: along dimension 1, or 0 for vectors."""
    _refuse_empty("hstack", tensors)
    parts = grown(one, (tensors,))
    return cat(parts, 0 if parts[0]._array.ndim == 1 else 1)


@composite(variants="function", vmap="decompose", out=True)
def vstack(tensors: Any) -> Tensor:
    """Tensors joined vertically: along dimension 0, as at least 2-d tensors."""
    _refuse_empty("vstack", tensors)
    return cat(grown(two, (tensors,)), 0)


row_stack = vstack


@composite(variants="function", vmap="decompose", out=True)
def dstack(tensors: Any) -> Tensor:
    """Tensors joined along dimension 2, as at least 3-d tensors."""
    _refuse_empty("dstack", tensors)
    return cat(grown(three, (tensors,)), 2)


@composite(variants="function", vmap="no_fallback", out=True)
def column_stack(tensors: Any) -> Tensor:
    """Tensors joined along dimension 1, vectors as columns."""
    _refuse_empty("column_stack", tensors)
    columns = [each.reshape(each._array.size, 1) if each._array.ndim <= 1 else each for each in tensors]
    return hstack(columns)


def _block_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    return (1,) * (2 - len(shape)) + tuple(shape)  # type: ignore[return-value]


def _blocks(grad: Tensor, shapes: Sequence[tuple[int, ...]]) -> list[Tensor]:
    result, row, column = [], 0, 0
    for shape in shapes:
        if shape == (0,):
            result.append(make(np.zeros(0, grad._array.dtype)).zero_())  # one version, as torch's zeros
            continue
        rows, columns = _block_shape(shape)
        part = slice_(slice_(grad, 0, row, row + rows, 1), 1, column, column + columns, 1)
        for _ in range(2 - len(shape)):
            part = part.squeeze(-1)
        result.append(part)
        row, column = row + rows, column + columns
    return result


@op(
    "BlockDiagBackward0",
    name="block_diag",
    lists="tensors",
    complex="holomorphic",
    jvp="auto_linear",
    inputs={"tensors": lambda grad, _tensors_sym_sizes: _blocks(grad, _tensors_sym_sizes)},
)
def _block_diag(tensors: Any) -> Array:
    kind = np.dtype(np.float32)
    if tensors:
        kind = dtypes.BY_NUMPY[tensors[0].dtype].numpy
        for each in tensors[1:]:
            kind = dtypes.promote_types(dtypes.BY_NUMPY[kind], dtypes.BY_NUMPY[each.dtype]).numpy
    for number, each in enumerate(tensors):
        if each.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {number} has "
                f"{each.ndim} dimensions"
            )
    shapes = [_block_shape(each.shape) for each in tensors] or [(1, 0)]
    result = np.zeros((sum(r for r, _ in shapes), sum(c for _, c in shapes)), kind)
    row = column = 0
    for each, (rows, columns) in zip(tensors, shapes, strict=False):
        result[row : row + rows, column : column + columns] = each
        row, column = row + rows, column + columns
    return result


@composite(variants="function", vmap="decompose")
def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with the given matrices on its diagonal, and 0 elsewhere."""
    check_list(tensors)
    return _block_diag(tensors)


batched_tensor.stack = stack
