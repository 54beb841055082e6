"""Batch rules of layer_norm, group_norm and batch_norm (torch: functorch/BatchRulesNorm.cpp).

Note [Scaled afterwards]: where weight or bias may be batched, the kernel is called without them; the weight is
multiplied and the bias added afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.creation.factories import ones, zeros
from .._aten.registry import Row, bind
from .._autograd.batched_tensor import make_batched, unwrap_batched, vmaps
from .._autograd.tensor import Tensor
from .batch_dims import each_tensor, front_of, front_or_expanded, into, is_at, out_of, wrapped
from .batch_rule_registry import composed_rule, rule
from .jvp import call


def _scaled(found: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    if weight is not None:
        found = found * weight
    return found if bias is None else found + bias


@composed_rule("layer_norm", "native_layer_norm")
def layer_norm(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """layer_norm: one call with weight and bias if they are not batched, else see Note [Scaled afterwards]."""
    arguments = dict(zip(("input", "normalized_shape", "weight", "bias", "eps"), args, strict=False)) | kwargs
    weight, bias = arguments.get("weight"), arguments.get("bias")
    input: Any = arguments.pop("input")
    apart = is_at(weight, level) or is_at(bias, level)
    if apart:
        arguments |= {"weight": None, "bias": None}
    result = function(front_of(input, level), **arguments)
    if is_at(input, level):
        result = wrapped(result, level)
    if not apart:
        return result
    if isinstance(result, Tensor):
        return _scaled(result, weight, bias)
    return (_scaled(result[0], weight, bias), *result[1:])


@rule("native_group_norm")
def group_norm(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """native_group_norm: the batch dimension is merged into N; see Note [Scaled afterwards]."""
    arguments = bind(row, args, kwargs)
    weight, bias, input, size = arguments["weight"], arguments["bias"], arguments["input"], vmaps[level].size
    arguments |= {"weight": None, "bias": None}
    if is_at(input, level):
        arguments |= {"input": into(*unwrap_batched(input), 0), "N": arguments["N"] * size}
        result = wrapped(each_tensor(lambda each: out_of(each, 0, size), call(row, arguments)), level)
    else:
        result = call(row, arguments)
    sides = (1,) * (input._array.ndim - 2)
    by_channel = (each.view((-1, *sides)) if each is not None and sides else each for each in (weight, bias))
    return (_scaled(result[0], *by_channel), *result[1:])


@composed_rule("native_batch_norm")
def batch_norm(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """native_batch_norm: the batch dimension is merged into the channels; see Note [Scaled afterwards]."""
    names = ("input", "weight", "bias", "running_mean", "running_var")
    arguments = dict(zip(names, args, strict=False)) | {
        name: kwargs[name] for name in names if name in kwargs
    }
    rest, named = args[5:], {name: each for name, each in kwargs.items() if name not in names}
    input, weight, bias, mean, var = (arguments[name] for name in names)
    size = vmaps[level].size
    apart = any(is_at(each, level) for each in (input, mean, var))
    if apart:
        input = into(front_or_expanded(input, level), 0, 1)
        mean, var = (
            None if each is None else into(front_or_expanded(each, level), 0, 0) for each in (mean, var)
        )
    channels, kind = input._array.shape[1], (arguments["weight"] if weight is not None else input).dtype
    result, *statistics = function(
        input, ones(channels, dtype=kind), zeros(channels, dtype=kind), mean, var, *rest, **named
    )
    result = result.transpose(0, 1)
    if apart:
        result = make_batched(out_of(result, 0, size), 0, level)
        statistics = [make_batched(out_of(each, 0, size), 0, level) for each in statistics]
    sides = (1,) * (result._array.ndim - 1)
    by_channel = [None if each is None else each.view((-1, *sides)) for each in (weight, bias)]
    return (_scaled(result, *by_channel).transpose(0, 1), *statistics)
