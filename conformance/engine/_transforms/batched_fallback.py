"""vmap's fallback for operations that torch has no batch rule for (torch: functorch/BatchedFallback.cpp).

Note [One example after the other]: torch warns that this is slow, selects each sample, calls the operation on it, and
stacks the results; autograd outside the vmap records all of this. In-place operations write into views of the value.
Operations that take or return lists of tensors, or return no tensor, are refused before that.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .._aten.inplace import run_inplace
from .._aten.registry import Row
from .._aten.shape.cat_stack import stack
from .._autograd.batched_tensor import (
    inside_derivative,
    make_batched,
    raise_unbatched_write,
    rebuild_sequence,
    unwrap_batched,
    vmaps,
)
from .._autograd.tensor import Tensor
from .._dispatch.torch_dispatch import operation
from .batch_dims import is_at, moved
from .batch_rule_registry import shared_rule

NO_FALLBACK = "Batching rule not implemented for aten::{}. We could not generate a fallback."
_SLOW = (
    "There is a performance drop because we have not yet implemented the batching rule for {}. Please file us an issue on "
    "GitHub so that we can prioritize its implementation."
)
_NO_EXAMPLES = (
    "Batching rule not implemented for {}. The fallback path does not support vmap over dims of size 0."
)


def _fallen_back(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> list[Any]:
    """See Note [One example after the other]."""
    size = vmaps[level].size
    if not size:
        raise RuntimeError(_NO_EXAMPLES.format(name))
    values: dict[int, Tensor] = {}

    def one(value: Any, index: int) -> Any:
        if type(value) in (list, tuple):
            return type(value)(one(each, index) for each in value)
        if not is_at(value, level):
            return value
        if id(value) not in values:
            values[id(value)] = moved(value)
        return values[id(value)].select(0, index)

    return [
        function(*one(args, i), **{name: one(each, i) for name, each in kwargs.items()}) for i in range(size)
    ]


def _warn(name: str) -> None:
    warnings.warn(_SLOW.format(name), stacklevel=2)


def warn_of(row: Row, args: tuple[Any, ...], level: int) -> None:
    """Warn that torch has no batch rule for a row, and that it is therefore slow."""
    if row.facts.vmap == "fallback":
        name = operation(row, args, in_place=False).name()
        if row.name.startswith("_upsample") and not inside_derivative(level):
            name += ".vec"  # the overload that functional.interpolate calls, which a derivative decomposes
        _warn(name)


def _joined(found: list[Any], level: int) -> Any:
    first = found[0]
    if isinstance(first, Tensor):
        return make_batched(stack(found).view((len(found), *first._array.shape)), 0, level)
    columns = [_joined(list(each), level) for each in zip(*found, strict=True)]
    return rebuild_sequence(type(first), columns)


@shared_rule("fallback")
def one_by_one(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any], level: int) -> Any:
    """The rule of rows for which torch has none: warn, and call the row once per sample."""
    warn_of(row, args, level)
    name = operation(row, args, in_place=False).name()
    return _joined(_fallen_back(name, row.call, args, kwargs, level), level)


def row_in_place(row: Row, arguments: list[Any], level: int) -> None:
    """The in-place form of a row for which torch has no batch rule, once per sample."""
    _written(
        operation(row, tuple(arguments), in_place=True).name(),
        lambda *given: run_inplace(row, list(given)),
        tuple(arguments),
        {},
        level,
    )


def _written(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> None:
    _warn(name)
    target = args[0]
    if not is_at(target, level):
        raise_unbatched_write(name.partition(".")[0], level)
    if target._value is None:
        target._value, target._bdim = unwrap_batched(target)
    _fallen_back(name, function, args, kwargs, level)
    target._cached_samples = None


def composed(
    overload: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    level: int,
) -> Any:
    """A composite function for which torch has no batch rule; NotImplemented inside a derivative."""
    if inside_derivative(level):
        return NotImplemented
    name = f"aten::{overload}"
    if name.partition(".")[0].endswith("_"):
        _written(name, function, args, kwargs, level)
        return args[0]
    _warn(name)
    return _joined(_fallen_back(name, function, args, kwargs, level), level)


def overload_of(
    name: str, overload: str | Callable[..., str], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    """The operator name with its overload, for these arguments; see ``overload`` in _c10/operator_facts.py."""
    result = overload if isinstance(overload, str) else overload(*args, **kwargs)
    if " " in result:
        of_tensor, of_number = result.split()
        second = next(iter((*args[1:], *kwargs.values())))
        result = of_tensor if isinstance(second, Tensor) else of_number
    return name if result == "default" else f"{name}.{result}"


def recurrent(
    name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """Recurrent layers and cells: gru_cell and the rnn cells run per sample, the others are refused.

    Inside a derivative torch decomposes them, so that they are called as they are.
    """
    if inside_derivative(level):
        return function(*args, **kwargs)
    overload = name.removeprefix("recurrent_")
    if overload in ("gru_cell", "rnn_tanh_cell", "rnn_relu_cell"):
        return composed(overload, function, args, kwargs, level)
    if overload != "lstm_cell":
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
        form = "input" if bound.get("batch_sizes") is None else "data"
        overload = f"{bound.get('mode', overload).lower()}.{form}"
    raise RuntimeError(NO_FALLBACK.format(overload))
