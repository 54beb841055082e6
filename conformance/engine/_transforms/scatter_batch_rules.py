"""Batch rules of indexing, gather and scatter (torch: functorch/BatchRulesScatterOps.cpp)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.creation.factories import scalar_tensor
from .._aten.creation.ranges import arange
from .._aten.operators import FUNCTIONS
from .._aten.registry import ROWS, Row, bind
from .._aten.shape.cat_stack import stack
from .._autograd.batched_tensor import MASK, BatchedTensor, level_of, unwrap_batched, vmaps
from .._autograd.tensor import Tensor
from .._c10.dtypes import int64
from .._c10.interpreter_stack import transforms
from .._c10.shapes import wrap_dim
from . import batched_fallback
from .batch_dims import front, front_of, front_or_expanded, into, is_at, out_of, padded, with_ones, wrapped
from .batch_rule_registry import composed_rule, rule, shared_rule
from .jvp import call


def _at_least_one(tensor: Tensor, level: int) -> Tensor:
    """The tensor, or an unbatched tensor expanded; a 0-d sample gets a dimension of 1."""
    value = front_of(tensor, level)
    if not tensor._array.ndim:
        value = value.unsqueeze(-1)
    if is_at(tensor, level):
        return value
    return value.expand((vmaps[level].size, *value._array.shape))


@rule("gather")
def gathered(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """gather: an unbatched input or index is expanded."""
    arguments = bind(row, args, kwargs)
    numbers = [name for name in ("self", "index") if not arguments[name]._array.ndim]
    arguments["dim"] = wrap_dim(arguments["dim"], arguments["self"]._array.ndim) + 1
    for name in ("self", "index"):
        arguments[name] = _at_least_one(arguments[name], level)
    result = call(row, arguments)
    return wrapped(result.squeeze(-1) if "index" in numbers else result, level)


@shared_rule("scatter")
def scattered(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """scatter, scatter_add, scatter_reduce: unbatched tensors are expanded."""
    arguments = bind(row, args, kwargs)
    number = not arguments["self"]._array.ndim
    arguments["dim"] = wrap_dim(arguments["dim"], arguments["self"]._array.ndim) + 1
    for name in ("self", "index", "src"):
        if isinstance(arguments.get(name), Tensor):
            arguments[name] = _at_least_one(arguments[name], level)
    result = call(row, arguments)
    return wrapped(result.squeeze(-1) if number else result, level)


def _along(index: Tensor, dim: int, shape: tuple[int, ...]) -> Tensor:
    """A 1-d or 0-d index expanded to ``shape``, along ``dim`` (torch: get_expanded_index)."""
    if index._array.ndim >= len(shape):
        return index
    if not index._array.ndim:
        return index.expand(shape)
    dim = wrap_dim(dim, len(shape))
    n = index._array.shape[0]
    line = index.view([n if place == dim else 1 for place in range(len(shape))])
    return line.expand((*shape[:dim], n, *shape[dim + 1 :]))


@rule("index_select")
def selected(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """index_select, decomposed: gather with the index expanded over the other dimensions."""
    batch, dim, index = bind(row, args, kwargs).values()
    result = ROWS["gather"].call(batch, dim, _along(index, dim, batch._array.shape))
    return result.squeeze(-1) if result._array.ndim > batch._array.ndim == 0 else result


@rule("index_copy")
def copied(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """index_copy, decomposed: scatter with an expanded index."""
    batch, dim, index, source = bind(row, args, kwargs).values()
    return ROWS["scatter"].call(batch, dim, _along(index, dim, batch._array.shape), source)


@rule("index_fill", "index_fill_tensor")
def index_filled(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """index_fill of samples at the same places: in place, in a clone of the value."""
    input, dim, index, filling = bind(row, args, kwargs).values()
    if level_of((index, filling)) >= 0 or not (input._array.ndim and index._array.ndim):
        return NotImplemented
    value, place = unwrap_batched(input)
    found = value.clone() if place == 0 else value.clone().movedim(place, 0)
    target, axis = found, wrap_dim(dim, input._array.ndim) + 1
    while target.__class__ is BatchedTensor:
        target, axis = front(target), axis + 1
    target.index_fill_(axis, index, filling)
    return wrapped(found, level)


@rule("slice_scatter")
def sliced(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """slice_scatter, decomposed: scatter; as in torch, negative or too large ``start`` and ``end`` are not adjusted."""
    batch, source, dim, start, end, step = bind(row, args, kwargs).values()
    shape = batch._array.shape
    dim = wrap_dim(dim, len(shape))
    index = arange(0 if start is None else start, shape[dim] if end is None else end, step)
    return ROWS["scatter"].call(batch, dim, _along(index, dim, shape), source)


@rule("select_scatter")
def placed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """select_scatter, decomposed: scatter. A derivative inside the vmap uses select_scatter's own, per sample."""
    if transforms.backward > vmaps[level].age:
        return NotImplemented
    batch, source, dim, index = bind(row, args, kwargs).values()
    shape = batch._array.shape
    dim = wrap_dim(dim, len(shape))
    number = scalar_tensor(wrap_dim(index, shape[dim]), dtype=int64)
    return ROWS["scatter"].call(batch, dim, number.expand(shape), source.unsqueeze(dim).expand(shape))


@rule("diagonal_scatter")
def on_diagonal(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """diagonal_scatter: its dimensions are shifted by the batch dimension; unbatched tensors are expanded."""
    arguments = bind(row, args, kwargs)
    rank = arguments["self"]._array.ndim
    for name in ("dim1", "dim2"):
        arguments[name] = wrap_dim(arguments[name], rank) + 1
    for name in ("self", "src"):
        arguments[name] = front_or_expanded(arguments[name], level)
    return wrapped(call(row, arguments), level)


@rule("index_add")
def added(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """index_add: one call if the index is not batched, otherwise one call per sample."""
    arguments = bind(row, args, kwargs)
    index, rank = arguments["index"], arguments["self"]._array.ndim
    dim = wrap_dim(arguments["dim"], rank)
    arguments["self"] = arguments["self"].clone()  # torch writes in place
    if is_at(index, level):
        arguments["dim"] = dim
        names = [name for name in ("self", "source", "index") if is_at(arguments[name], level)]
        values = {name: unwrap_batched(arguments[name]) for name in names}
        result = []
        for i in range(vmaps[level].size):
            arguments |= {name: value.select(place, i) for name, (value, place) in values.items()}
            result.append(call(row, arguments))
        return wrapped(stack(result), level)
    arguments["dim"] = dim + 1
    for name in ("self", "source"):
        arguments[name] = _at_least_one(arguments[name], level)
    result = call(row, arguments)
    return wrapped(result if rank else result.squeeze(-1), level)


# Indexing with tensors ----------------------------------------------------------------------------


def _adjacent(indices: list[Any]) -> bool:
    places = [place for place, each in enumerate(indices) if each is not None]
    return places[-1] - places[0] < len(places)


def _rank(index: Tensor) -> int:
    return 1 if index._array.dtype.kind == "b" else index._array.ndim


def _indices_of_values(indices: list[Any], level: int, batched: bool) -> tuple[list[Any], int]:
    """The indices of a value, and the rank that a sample's indices broadcast to."""
    rank = max(_rank(each) for each in indices if each is not None)
    result = [padded(each, rank) if is_at(each, level) else each for each in indices]
    if not batched:
        return result, rank
    if not any(is_at(each, level) for each in indices):
        return [None, *result], rank
    examples = arange(vmaps[level].size)
    for _ in range(rank):
        examples = examples.unsqueeze(-1)
    return [examples, *result], rank


@rule("index")
def indexed(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """index: if indices are batched, an arange over the samples indexes the batch dimension."""
    batch, indices = bind(row, args, kwargs).values()
    indices = list(indices)
    ours = is_at(batch, level)
    values, rank = _indices_of_values(indices, level, ours)
    result = row.call(front_of(batch, level), values)
    theirs = any(is_at(each, level) for each in indices)
    adjacent = _adjacent(indices)
    before = next(place for place, each in enumerate(indices) if each is not None) if adjacent else 0
    if not theirs:
        return wrapped(result, level, 0 if adjacent else rank)
    if not ours:
        return wrapped(result, level, before)
    if before:
        behind = range(1 + rank + before, result._array.ndim)
        result = result.permute(0, *range(1 + rank, 1 + rank + before), *range(1, 1 + rank), *behind)
    return wrapped(result, level)


@rule("index_put")
def put(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """index_put: one call with the same indices as in ``indexed``."""
    arguments = bind(row, args, kwargs)
    _prepare_to_put(arguments, level)
    return wrapped(call(row, arguments), level)


def _prepare_to_put(given: dict[str, Any], level: int) -> None:
    """Replace the arguments of index_put by their values."""
    batch, values = given["self"], given["values"]
    indices = list(given["indices"])
    if any(is_at(each, level) and each._array.dtype.kind == "b" for each in indices):
        raise RuntimeError(MASK)
    wholes, rank = _indices_of_values(indices, level, True)
    masks = sum(
        each._array.ndim - 1 for each in indices if each is not None and each._array.dtype.kind == "b"
    )
    named = sum(each is not None for each in indices) + masks
    wanted = batch._array.ndim - named + rank
    values = with_ones(front_or_expanded(values, level), wanted - values._array.ndim)
    given |= {"self": front_or_expanded(batch, level), "indices": tuple(wholes), "values": values}


def put_in_place(row: Row, arguments: list[Any], level: int) -> list[Any]:
    """The values of index_put_'s arguments."""
    given = dict(zip(row.parameters, arguments, strict=True))
    _prepare_to_put(given, level)
    return list(given.values())


# Searching ----------------------------------------------------------------------------------------


@composed_rule("searchsorted")
def searched(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """searchsorted: a 1-d sequence is searched for all values, others are searched row by row."""
    arguments = dict(zip(("sorted_sequence", "input"), args, strict=False)) | kwargs
    sequence, values = arguments.pop("sorted_sequence"), arguments.pop("input")
    if not isinstance(values, Tensor):
        return batched_fallback.composed("searchsorted.Scalar", function, args, kwargs, level)
    rank, line = values._array.ndim, sequence._array.ndim == 1
    if is_at(sequence, level):
        sequence, value = front_or_expanded(sequence, level), front_or_expanded(values, level)
        if not line:
            return wrapped(function(sequence, value, **arguments), level)
        result = function(sequence, value.flatten(1) if rank else value.unsqueeze(-1), **arguments)
        return wrapped(result.view(value._array.shape), level)
    value, dim = unwrap_batched(values)
    if line:
        return wrapped(function(sequence, value, **arguments), level, dim)
    result = function(sequence, into(value, dim, rank - 1), **arguments)
    return wrapped(out_of(result, rank - 1, vmaps[level].size), level, rank - 1)


@composed_rule("bucketize")
def put_into_buckets(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """bucketize: searchsorted with the arguments exchanged."""
    arguments = dict(zip(("input", "boundaries"), args, strict=False)) | kwargs
    return FUNCTIONS["searchsorted"](arguments.pop("boundaries"), arguments.pop("input"), **arguments)


@composed_rule("one_hot")
def hot(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """one_hot, decomposed: the classes compared with an arange."""
    arguments = dict(zip(("tensor", "num_classes"), args, strict=False)) | kwargs
    classes: Tensor = arguments["tensor"]
    if classes.dtype is not int64:
        raise RuntimeError("one_hot is only applicable to index tensor.")
    if arguments.get("num_classes", -1) == -1:
        return NotImplemented
    return (classes.unsqueeze(-1) == arange(arguments["num_classes"])).to(int64)


@composed_rule("repeat_interleave")
def repeated(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """repeat_interleave with batched repeats: the indices come from the per-sample fallback, then index_select."""
    arguments = dict(zip(("input", "repeats", "dim"), args, strict=False)) | kwargs
    input, repeats, dim = arguments["input"], arguments.get("repeats"), arguments.get("dim")
    if repeats is None:
        return batched_fallback.composed("repeat_interleave.Tensor", function, args, kwargs, level)
    if not is_at(repeats, level):
        return NotImplemented
    line = input.flatten() if dim is None else input
    return line.index_select(0 if dim is None else dim, function(repeats))
