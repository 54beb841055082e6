"""Batch rules of pooling, padding, grid_sample, embedding and convolution (torch: functorch/BatchRulesModules.cpp)."""

from __future__ import annotations

from typing import Any

from .._aten.creation.ranges import arange
from .._aten.registry import Row, bind
from .._autograd.batched_tensor import unwrap_batched, vmaps
from .._autograd.tensor import Tensor
from .batch_dims import each_tensor, front, front_of, into, is_at, out_of, wrapped
from .batch_rule_registry import rule, shared_rule
from .jvp import call


@rule("max_pool2d_with_indices", "max_pool3d_with_indices")
def pooled(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """max_pool2d and max_pool3d: if the input has no batch dimension N, that of the vmap is used as N."""
    arguments = bind(row, args, kwargs)
    if arguments["self"]._array.ndim == len(arguments["kernel_size"]) + 1:
        arguments["self"] = front(arguments["self"])
        return wrapped(call(row, arguments), level)
    return folded(row, args, kwargs, level)


@shared_rule("folded")
def folded(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """Operators of an input with a batch dimension N: that of the vmap is merged into N."""
    arguments = bind(row, args, kwargs)
    batch = arguments["self"]
    arguments["self"] = into(*unwrap_batched(batch), 0)
    size = vmaps[level].size
    return wrapped(each_tensor(lambda each: out_of(each, 0, size), call(row, arguments)), level)


@rule("grid_sampler_2d", "grid_sampler_3d")
def sampled(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """grid_sampler: the batch dimension is merged into N, or into the channels or the grid's rows if one is unbatched.

    If both are batched, torch splits the result by the input's size at the grid's batch dimension.
    """
    arguments = bind(row, args, kwargs)
    input, grid, size = arguments["input"], arguments["grid"], vmaps[level].size
    both = is_at(input, level) and is_at(grid, level)
    dim = 0 if both else 1 if is_at(input, level) else 2
    if both:
        size = unwrap_batched(input)[0]._array.shape[unwrap_batched(grid)[1]]
    for name in ("input", "grid"):
        if is_at(arguments[name], level):
            arguments[name] = into(*unwrap_batched(arguments[name]), min(dim, 1))
    return wrapped(out_of(call(row, arguments), dim, size), level, dim)


@rule("embedding")
def embedded(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """embedding: batched weights are concatenated along the columns, or along the rows if indices are batched, too."""
    arguments = bind(row, args, kwargs)
    weight, indices, size = arguments["weight"], arguments["indices"], vmaps[level].size
    if not is_at(weight, level):
        arguments["indices"], dim = unwrap_batched(indices)
        return wrapped(call(row, arguments), level, dim)
    both = is_at(indices, level)
    arguments["weight"] = into(*unwrap_batched(weight), 0 if both else 1)
    if not both:
        result = call(row, arguments)
        result = out_of(result, result._array.ndim - 1, size)
        return wrapped(result, level, result._array.ndim - 2)
    rows = weight._array.shape[0]
    steps = arange(0, size * rows, rows, dtype=indices.dtype)
    arguments["indices"] = front(indices) + steps.view((size, *(1,) * indices._array.ndim))
    return wrapped(call(row, arguments), level)


@rule("convolution")
def convolved(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """convolution: the batch dimension is merged into N, or into the channels or groups if the weight is batched."""
    arguments = bind(row, args, kwargs)
    input, weight, bias = arguments["input"], arguments["weight"], arguments["bias"]
    apart = is_at(bias, level) or (is_at(weight, level) and bias is not None)
    if apart:
        arguments["bias"] = None
    result = _without_bias(row, arguments, input, weight, level)
    if not apart:
        return result
    sides: Tensor = front_of(bias, level)
    for _ in arguments["padding"]:
        sides = sides.unsqueeze(-1)
    return result + (wrapped(sides, level) if is_at(bias, level) else sides)


def _without_bias(row: Row, given: dict[str, Any], input: Any, weight: Any, level: int) -> Any:
    size, groups, transposed = vmaps[level].size, given["groups"], given["transposed"]
    if not is_at(weight, level):
        if not is_at(input, level):
            return call(row, given)
        given["input"] = into(*unwrap_batched(input), 0)
        return wrapped(out_of(call(row, given), 0, size), level)
    if is_at(input, level):
        given["input"], given["weight"] = into(*unwrap_batched(input), 1), into(*unwrap_batched(weight), 0)
        given["groups"] = groups * size
        return wrapped(out_of(call(row, given), 1, size), level, 1)
    value, dim = unwrap_batched(weight)
    if groups == 1 or transposed:
        given["weight"] = into(value, dim, int(transposed))
    else:
        apart = out_of(value, int(dim == 0), groups)
        given["weight"] = into(into(apart, dim + (dim > 0), 1), 0, 0)
    result = call(row, given)
    if groups == 1:
        return wrapped(out_of(result, 1, size), level, 1)
    result = out_of(out_of(result, 1, groups), 2, size)
    return wrapped(into(result, 1, 2), level, 1)
