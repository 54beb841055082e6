"""Batch rules of views, and of copies that are laid out like views (torch: functorch/BatchRulesViews.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.registry import ROWS, Row, bind
from .._aten.shape.as_strided_unfold import as_strided
from .._aten.shape.view_reshape import _check_bytes
from .._autograd.batched_tensor import (
    BatchedTensor,
    batch_samples,
    flat_values,
    make_batched,
    unwrap_batched,
    uses_batch_rules,
)
from .._autograd.tensor import Tensor
from .._c10.dtypes import dtype
from .._c10.layout import contiguous_format
from .._c10.shapes import wrap_dim
from .batch_dims import front, sole_tensor, wrapped
from .batch_rule_registry import composed_rule, rule, shared_rule
from .jvp import call
from .pointwise_batch_rules import pointwise


def dims_of(dim: Any, rank: int) -> Any:
    """A sample's dimensions as dimensions of a value whose batch dimension is first."""
    if isinstance(dim, int):
        return wrap_dim(dim, rank) + 1
    return type(dim)(wrap_dim(each, rank) + 1 for each in dim)


@shared_rule("along")
def along(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """Operators with a ``dim`` argument: the dimensions are shifted by the batch dimension."""
    arguments = bind(row, args, kwargs)
    batch = sole_tensor(arguments, level)
    if row.view is not None and batch._value is None:
        return NotImplemented
    rank = batch._array.ndim
    if (
        not rank
        and row.name in _OF_NUMBERS
        and all(arguments[name] in (0, -1) for name in _DIMS & arguments.keys())
    ):
        return batch
    alone = row.name == "unfold" and not rank  # of a number, a window of which has a dimension
    rank += alone
    for name in _DIMS & arguments.keys():
        arguments[name] = dims_of(arguments[name], rank)
    if row.name == "permute":
        arguments["dims"] = (0, *arguments["dims"])
    arguments["self"] = front(batch).unsqueeze(-1) if alone else front(batch)
    result = call(row, arguments)
    return wrapped(result.squeeze(-1) if alone else result, level)


def _alias(batch: BatchedTensor, level: int) -> BatchedTensor:
    value, dim = unwrap_batched(batch)
    return make_batched(ROWS["alias"].call(value), dim, level)


@rule("alias")
def aliased(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """alias, which as_subclass calls: that of the value."""
    return _alias(args[0], level)


_OF_NUMBERS = frozenset(["transpose"])  # which accept dimension 0 of a 0-d tensor
_DIMS = frozenset(["dim", "dim0", "dim1", "dim2", "dims", "dimension"])


@rule("clone")
def cloned(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """clone: with the value's strides; for contiguous_format, with the batch dimension in front."""
    in_order = bind(row, args, kwargs)["memory_format"] is contiguous_format
    return (arranged if in_order else pointwise)(row, args, kwargs, level)


@rule("_reshape_alias", "_unsafe_view", "view")
def reshaped(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """view, _unsafe_view and _reshape_alias: the batch size is prepended to the shape."""
    batch, size = bind(row, args, kwargs).values()
    if row.view is not None and batch._value is None:
        return NotImplemented
    value = front(batch)
    wanted = (value._array.shape[0], *size)
    if row.name == "view":
        return wrapped(row.call(value, wanted), level)
    if row.name == "_unsafe_view":  # of a tensor that nothing else uses, so that a copy is as good
        try:
            return wrapped(row.call(value, wanted), level)
        except (RuntimeError, ValueError):
            return wrapped(row.call(value.contiguous(), wanted), level)
    try:
        return wrapped(ROWS["view"].call(value, wanted), level)
    except RuntimeError as error:
        raise ValueError from error  # as the row does; reshape then copies


@rule("_in_order", "_view_as_complex", "constant_pad_nd", "tril", "triu")
def arranged(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """Operators that accept leading batch dimensions: one call with the value."""
    arguments = bind(row, args, kwargs)
    if row.view is not None and arguments["self"]._value is None:
        return NotImplemented
    arguments["self"] = front(arguments["self"])
    return wrapped(call(row, arguments), level)


@rule("expand")
def expanded(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """expand: the value gets dimensions of 1 after the batch dimension, up to the length of ``size``."""
    batch, size = bind(row, args, kwargs).values()
    if batch._value is None or len(size) < batch._array.ndim:
        return NotImplemented
    value = front(batch)
    shape = value._array.shape
    value = value.view((shape[0], *(1,) * (len(size) - batch._array.ndim), *shape[1:]))
    return wrapped(row.call(value, (value._array.shape[0], *size)), level)


@rule("t")
def transposed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """t: transpose of a matrix; a sample with fewer dimensions is returned as it is."""
    (batch,) = bind(row, args, kwargs).values()
    if batch._value is None or batch._array.ndim > 2:
        return NotImplemented
    last = min(1, max(batch._array.ndim - 1, 0))
    return along(ROWS["transpose"], (batch, 0, last), {}, level)


@rule("unsqueeze")
def unsqueezed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """unsqueeze: ``dim`` counts the dimensions of the result, and is shifted by the batch dimension."""
    batch, dim = bind(row, args, kwargs).values()
    if batch._value is None:
        return NotImplemented
    return wrapped(row.call(front(batch), wrap_dim(dim, batch._array.ndim + 1) + 1), level)


@rule("repeat")
def repeated(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """repeat: once along the batch dimension."""
    batch, repeats = bind(row, args, kwargs).values()
    if len(repeats) < batch._array.ndim:
        return NotImplemented
    value = front(batch)
    for _ in range(len(repeats) - batch._array.ndim):
        value = value.unsqueeze(1)
    return wrapped(row.call(value, (1, *repeats)), level)


def check_squeezed(dims: Any) -> None:
    """Refuse to squeeze other dimensions of a 0-d sample than dimension 0."""
    given = [*flat_values((dims,))]
    if given not in ([], [0]):
        raise RuntimeError(f"Dimension is out of range (expected to be in range of [-1, 0], but got {given}")


@rule("squeeze_dim", "squeeze_dims")
def squeezed_along(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """squeeze with ``dim``: the batch dimension stays where it is in the value."""
    batch, dims = bind(row, args, kwargs).values()
    if batch._value is None:
        return NotImplemented
    rank = batch._array.ndim
    if not rank:
        check_squeezed(dims)
        return _alias(batch, level)
    places = [wrap_dim(each, rank) for each in flat_values((dims,))]
    value, dim = unwrap_batched(batch)
    gone = sum(each < dim and value._array.shape[each] == 1 for each in places)
    result = ROWS["squeeze_dims"].call(value, tuple(each + (each >= dim) for each in places))
    return wrapped(result, level, dim - gone)


@rule("diag_embed")
def diagonal_made(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """diag_embed: dimensions count those of the result, and are shifted by the batch dimension."""
    batch, offset, *dims = bind(row, args, kwargs).values()
    rank = batch._array.ndim + 1
    return wrapped(row.call(front(batch), offset, *(wrap_dim(dim, rank) + 1 for dim in dims)), level)


@rule("diagonal_copy", "unfold_copy")
def view_copied(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """diagonal_copy and unfold_copy: a contiguous clone of the view."""
    result = along(ROWS[row.name.removesuffix("_copy")], tuple(bind(row, args, kwargs).values()), {}, level)
    return result if result is NotImplemented else result.clone(memory_format=contiguous_format)


@rule("alias_copy")
def alias_copied(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """alias_copy: a contiguous clone."""
    (batch,) = bind(row, args, kwargs).values()
    return _alias(batch, level).clone(memory_format=contiguous_format)


@rule("roll")
def rolled(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """roll: along ``dims``, or of the flattened sample."""
    arguments = bind(row, args, kwargs)
    if arguments["dims"] or not arguments["self"]._array.ndim:  # of numbers torch rolls the batch
        return along(row, args, kwargs, level)
    value = front(sole_tensor(arguments, level))
    return wrapped(value.flatten(1).roll(arguments["shifts"], 1).reshape(value._array.shape), level)


@rule("trace")
def traced(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """trace, decomposed: the sum of the diagonal."""
    (batch,) = bind(row, args, kwargs).values()
    if batch._array.ndim != 2:
        return NotImplemented
    return wrapped(front(batch).diagonal(0, 1, 2).sum(1), level)


@rule("squeeze")
def squeezed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """squeeze: every dimension of length 1 except the batch dimension."""
    (batch,) = bind(row, args, kwargs).values()
    if batch._value is None:
        return NotImplemented
    if not batch._array.ndim:
        return _alias(batch, level)
    value, dim = batch._value, batch._bdim
    shape = value._array.shape
    kept = [place for place, n in enumerate(shape) if n != 1 or place == dim]
    return wrapped(value.view([shape[place] for place in kept]), level, kept.index(dim))


def strided(
    again: Callable[..., Any], input: BatchedTensor, size: Any, stride: Any, storage_offset: Any = None
) -> Tensor:
    """as_strided: the offset applies to the first sample; each other one keeps its distance from the first in memory.

    Raises:
        RuntimeError: the view would reach memory outside the sample (torch: functorch/BatchRulesViews.cpp).
    """
    if len(size) != len(stride):
        raise RuntimeError(
            "Tensor.as_strided(size, stride, ...): size and stride must have the same length! "
            f"Got size {list(size)} and stride {list(stride)}"
        )
    first = _begin(input)
    begin = first if storage_offset is None else storage_offset
    seen, have = (
        [start, start + 1 + sum((n - 1) * step for n, step in zip(sides, steps, strict=True))]
        for start, sides, steps in ((begin, size, stride), (first, input.shape, input.stride()))
    )
    if 0 not in size and not have[0] <= seen[0] < seen[1] <= have[1]:
        raise RuntimeError(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {begin}) can access memory outside of `tensor`. "
            f"`result` can access some memory in range {seen}, but `tensor` can only access some memory in range "
            f"{have}. This is not supported inside of vmap, please try to rewrite the `as_strided` call as a sequence of "
            "PyTorch view operations"
        )
    if input._value is not None and uses_batch_rules(input._level):
        value = front(input)
        sides, steps = (value._array.shape[0], *size), (value.stride(0), *stride)
        return make_batched(again(value, sides, steps, storage_offset), 0, input._level)
    examples = input._samples
    return batch_samples(
        [again(each, size, stride, begin + _begin(each) - first) for each in examples], input._level
    )


def _begin(tensor: Tensor) -> int:
    """The storage offset of the first sample."""
    while tensor.__class__ is BatchedTensor:
        tensor = tensor._samples[0]
    begin: int = tensor.storage_offset()
    return begin


@rule("as_strided")
def strided_examples(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """The row of as_strided, which forward-mode AD calls with tangents."""
    self, size, stride, offset, _ = bind(row, args, kwargs).values()
    return strided(as_strided, self, size, stride, offset)


@composed_rule("view")
def viewed(again: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """Tensor.view(dtype): one call, with the batch dimension in front; other calls use the row's rule."""
    (batch, *asked), named = args, [*kwargs]
    if named != ["dtype"] and not (len(asked) == 1 and isinstance(asked[0], (dtype, type))):
        return NotImplemented
    if not batch._array.ndim:
        _check_bytes(batch, next(iter((*asked, *kwargs.values()))))
    return make_batched(again(front(batch), *asked, **kwargs), 0, level)
