"""Dispatch of rows while a transform is in force: vmap, autocast, torch_dispatch modes, and forward-mode AD.

A call passes through these in this order; at the end the results get their tangents, see _transforms/jvp.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

import numpy as np

from .._arguments.overloads import opname
from .._aten.out import check_forward
from .._aten.registry import Row, bind
from .._autograd.batched_tensor import (
    NO_RULE,
    BatchedTensor,
    flat_values,
    for_each_sample,
    for_each_sample_inplace,
    level_of,
    make_batched,
    unwrap_batched,
    uses_batch_rules,
    vmaps,
)
from .._autograd.forward_grad import (
    DualOutput,
    forward_base,
    has_batched,
    is_recorded,
    levels,
    levels_of,
    set_tangent,
    tangent_of,
    update_tangent,
)
from .._autograd.inplace_checks import overlaps
from .._autograd.kernel_version_bumps import bump_versions
from .._autograd.node import Node
from .._autograd.saved_variable import SavedTensor
from .._autograd.tensor import Tensor, make, version_counter
from .._autograd.torch_dispatch_subclass import overloaded_args
from .._autograd.torch_function import without_overrides
from .._c10 import errors
from .._c10.interpreter_stack import transforms
from .._c10.modes import state
from .._c10.slots import on_first_use
from .._dispatch.autocast import with_casts
from .._dispatch.torch_dispatch import call_through_modes, operation
from .jvp import call, direction_of, tangents
from .jvp_linearity import writes_afresh, writes_to_tangent

# See Note [Slots].
rule_of: Callable[[Row], Any] = on_first_use("batch_rule_of")
old_rule: Callable[..., Any] = on_first_use("old_batch_rule")
warn_of: Callable[..., None] = on_first_use("warn_of_fallback")
write_value: Callable[[Row, list[Any], int], bool] = on_first_use("write_value")


def unsupported(name: str) -> NotImplementedError:
    """The error for an operation whose forward-mode formula torch has not implemented."""
    text = errors.NO_FORWARD_MODE.format(name).removesuffix(".")
    return NotImplementedError(f"{text} or submit a PR adding the implementation to derivatives.yaml")


_UNIQUE = {"_unique_dim": "unique_dim", "_unique_dim_consecutive": "unique_consecutive"}


def _packet(row: Row) -> str:
    """torch's operator name without the overload, of the operator that a program's call reaches."""
    return _UNIQUE.get(row.name) or opname(row.name)


def no_derivative(row: Row, form: str = "") -> NotImplementedError:
    """The error for an operation that has no derivative in torch, under forward-mode AD."""
    return NotImplementedError(
        f"Trying to use forward AD with aten::{opname(row.name)}{form} that does not support it."
    )


def dispatch(row: Row, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operation while a transform is in force: vmap, autocast, dispatch modes, then tangents."""
    level = level_of((args, tuple(kwargs.values())))
    if level >= 0:
        return _batched(row, function, args, kwargs, level)
    if "cpu" in state.autocast and row.facts.autocast is not None:
        return with_casts(row.facts.autocast, partial(dispatch, row, function), args, kwargs)
    if state.dispatch_modes or overloaded_args((args, tuple(kwargs.values()))):
        op = operation(row, args, in_place=False)
        return call_through_modes(row, op, args, kwargs, lambda: dispatch(row, function, args, kwargs))
    return _with_tangents(row, function, args, kwargs)


@without_overrides
def _batched(
    row: Row, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], level: int
) -> Any:
    """Call an operation with tensors batched at a level: by its batch rule, or per sample."""
    if row.facts.no_vmap is not None:
        _refuse_batched(row, args, kwargs)
    if kwargs.get("out") is not None:
        raise RuntimeError(NO_RULE.format(f"{row.name}.out"))
    if uses_batch_rules(level) and not _has_batched((args, tuple(kwargs.values()))):
        rule = rule_of(row)
        result = NotImplemented if rule is None else rule(row, args, kwargs, level)
        if result is not NotImplemented:
            return result
    elif vmaps[level].old:
        result = old_rule(row, args, kwargs, level)
        if result is not NotImplemented:
            return result
    else:
        warn_of(row, args, level)
    return for_each_sample(partial(_dispatched, row, function), args, kwargs, level)


def _refuse_batched(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    refused = row.facts.no_vmap
    text, argument = refused if isinstance(refused, tuple) else (refused, None)
    if argument is None or level_of((bind(row, args, kwargs)[argument],)) >= 0:
        raise RuntimeError(text)


@without_overrides
def _with_tangents(
    row: Row, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call an operation, and compute the tangents of its results from those of its arguments."""
    found = carried((args, tuple(kwargs.values())))
    if not found and (row.view is None or not levels):
        return bump_versions(row.facts.kernel_writes, _dated(row, args, function(*args, **kwargs)))
    if found and row.facts.jvp == "not_implemented":
        raise unsupported(_packet(row))
    if row.facts.jvp == "not_differentiable" or row.node_name == "NotImplemented":
        raise no_derivative(row)
    result = _dated(row, args, function(*args, **kwargs))
    if kwargs.get("out") is not None:
        check_forward(row.name, kwargs["out"], args)
    if result is NotImplemented or not row.recorded:
        return result
    arguments = bind(row, args, kwargs)
    results = [result] if isinstance(result, Tensor) else list(result)
    if row.view is not None:
        source = next(iter(arguments.values()))
        for each in results:
            follow(each, source)
    for level in sorted(found):
        for each, tangent in zip(results, tangents(row, arguments, results, level), strict=True):
            if tangent is not None and each._array.dtype.kind in "fcV":
                spread = tangent._array.shape != each._array.shape or overlaps(tangent._array)
                if row.view is None and spread:  # the tangent of a broadcast operand
                    tangent = tangent.expand(each._array.shape).contiguous()
                if any(tangent is direction_of(given, level) for given in flat_values(args)):
                    tangent = tangent.clone()  # an in-place change of one must not change the other
                written = writes_to_tangent(row, arguments)
                if written is not None:
                    afresh = writes_afresh(row, levels[level].of_func, tangent.__class__ is BatchedTensor)
                    tangent = _as_written(tangent, 0 if afresh else written)
                set_tangent(each, tangent, level)
    for each in results:
        _save_tangents(row, results, each._node)
    return result


def _has_batched(args: Any) -> bool:
    """Whether a tensor that is not batched has a batched tangent; batch rules do not handle that."""
    return any(
        isinstance(each, Tensor) and each.__class__ is not BatchedTensor and has_batched(each)
        for each in flat_values(args)
    )


def _as_written(tangent: Tensor, times: int) -> Tensor:
    """A tangent with its version set to ``times``, as torch's in-place formulas leave it, unless it requires grad."""
    if tangent.__class__ is BatchedTensor and uses_batch_rules(tangent._level):
        value, dim = unwrap_batched(tangent)
        return make_batched(_as_written(value, times), dim, tangent._level)
    if tangent.requires_grad or tangent._tangents or tangent.__class__ is BatchedTensor:
        return tangent
    written = make(tangent._array)
    version_counter(written).value = times
    return written


def _dated(row: Row, args: tuple[Any, ...], result: Any) -> Any:
    """The result of an operation, marked with the age of the transform it was made in; see Note [Captured tensors]."""
    if transforms.depth:
        own = row.view is None or row.name == "alias" or not args
        age = transforms.age if own else args[0]._age
        for each in flat_values((result,)):
            if isinstance(each, Tensor):
                each._age = age
    return result


def _check_captured(row: Row, arguments: list[Any]) -> None:
    """Refuse in-place operations on tensors that a derivative captured from outside; see Note [Captured tensors]."""
    self: Tensor = arguments[0]
    if self._age < transforms.since:
        name = operation(row, tuple(arguments), in_place=True).name()
        raise RuntimeError(errors.CAPTURED.format(name))
    if self._transform is not None and self._transform.alive and state.recording:
        raise RuntimeError(errors.LEAF_INPLACE)


def _save_tangents(row: Row, results: list[Tensor], node: Node | None) -> None:
    """See Note [Tangents of saved outputs]."""
    for name, kind in row.saved.items():
        if kind != "output":
            continue
        output = results[row.outputs.index(name)]
        saved = getattr(node, f"saved_{name}", None)
        if isinstance(saved, SavedTensor) and output._tangents:
            saved.view_node = DualOutput(output, saved.view_node)


def _dispatched(row: Row, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return dispatch(row, function, args, kwargs)


@without_overrides
def in_place(row: Row, arguments: list[Any], write: Callable[[list[Any]], Tensor]) -> Tensor:
    """Write a row's result into its first argument, and its tangents into that argument's.

    The tangents are those of the operation out of place, on the values before the write. If that raises, only the write
    runs, so that its own error is raised.
    """
    self: Tensor = arguments[0]
    level = level_of(arguments)
    if level >= 0:
        if uses_batch_rules(level) and write_value(row, arguments, level):
            return self
        return for_each_sample_inplace(
            lambda *given: in_place(row, list(given), write),
            tuple(arguments),
            {},
            level,
            row.name + "_",
            row.facts,
        )
    if state.dispatch_modes or overloaded_args(arguments):
        given = tuple(arguments)
        op = operation(row, given, in_place=True)
        return cast(Tensor, call_through_modes(row, op, given, {}, lambda: in_place(row, arguments, write)))
    if transforms.since:
        _check_captured(row, arguments)
    if not carried(arguments):
        return write(arguments)
    if row.node_name == "NotImplemented":
        raise no_derivative(row, "_")
    if row.facts.jvp == "not_implemented":
        write(arguments)
        raise NotImplementedError(errors.NO_FORWARD_MODE.format(row.name.rstrip("_") + "_"))
    if "generator" in row.parameters:  # the out-of-place call would draw random numbers again
        written = write(arguments)
        for level in sorted(levels_of(self)):
            update_tangent(self, make(np.zeros_like(self._array)), level)
        return written
    named = dict(zip(row.parameters, arguments, strict=True))
    try:
        if is_recorded(named) and not row.view:  # the write would change what the tangents' backward saves
            named[next(iter(named))] = self.clone()
        result = call(row, named)
    except Exception:
        return write(arguments)
    written = write(arguments)
    for level in sorted(levels_of(result)):
        tangent = tangent_of(result, level)
        assert tangent is not None
        update_tangent(self, tangent, level)
    place = self if self._view is None else self._view.base
    _save_tangents(row, [self], getattr(place._node, "function", place._node))
    return written


def carried(values: Iterable[Any]) -> set[int]:
    """The levels at which any of the tensors has a tangent; empty where forward-mode AD is disabled."""
    result: set[int] = set()
    if not levels or not state.forward_grad or state.inference:
        return result
    for each in values:
        if isinstance(each, Tensor):
            result |= {level for level in levels_of(each) if level >= levels[-1].lowest}
        elif isinstance(each, (tuple, list)):
            result |= carried(each)
    return result


def follow(view: Tensor, source: Tensor) -> None:
    """Record that a view is a view for forward-mode AD, too; see Note [Views and tangents]."""
    base = forward_base(source)
    if base is None:
        base = source
    view._forward_base = base
