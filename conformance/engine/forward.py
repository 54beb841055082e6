"""Forward-mode AD of the rows: the tangents of what an operation returns.

Note [Jacobian-vector products from derivatives]: no row has a formula of its own for forward mode. Its formula takes
a gradient ``u`` back by the transposed Jacobian, and is linear in ``u``; differentiating that with respect to ``u``,
in the direction of the inputs' tangents, gives the Jacobian times the tangents. The value of ``u`` plays no part. A
view needs none of this: the tangent of a view is the same view of the tangent.

Note [Absent tangents]: of several inputs torch takes those that have no tangent to have zeros without memory. What is
computed with these has its place in the graph, so that a tangent requires grad where only a weight beside it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, cast

import numpy as np

from . import errors
from .batching import (
    NO_RULE,
    UNBATCHED,
    BatchedTensor,
    batched_whole,
    by_wholes,
    each_example,
    each_in_place,
    flat,
    level_of,
    vmaps,
    whole_of,
)
from .complex_numbers import check_declared
from .directions import (
    BILINEAR,
    ELEMENTWISE,
    KERNELS,
    LINEAR,
    MULTILINEAR,
    OF_THEIR_OWN,
    UNSUPPORTED,
    UNSUPPORTED_IN_PLACE,
    WRITES,
    WRITTEN_BY_DUALS,
    WRITTEN_BY_SINGLES,
)
from .dispatch_classes import asked
from .execution import run_backward
from .fitting import conform
from .inner_writes import count_writes
from .inplace import overlaps
from .modes import _set, state
from .node import NO_EDGE, Alias, Identity, Node, grad_accumulator, gradient_edge, new_node
from .out import check_forward
from .overloads import opname
from .rows import Row
from .saved import SavedTensor
from .tangents import (
    DualOutput,
    change_tangent,
    forward_base,
    has_batched,
    levels,
    levels_of,
    set_tangent,
    tangent_of,
)
from .tensor import Tensor, make, version_counter
from .transforms import transforms
from .views import as_view
from .zero_tensor import zeros as zeros_without_memory

Directions = dict[str, Any]  # by input, its tangent or None; of a list of tensors, a list of those


def unsupported(name: str) -> NotImplementedError:
    """The error of an operation that torch has no forward mode of."""
    text = errors.NO_FORWARD_MODE.format(name).removesuffix(".")
    return NotImplementedError(f"{text} or submit a PR adding the implementation to derivatives.yaml")


def no_derivative(row: Row, form: str = "") -> NotImplementedError:
    """The error of an operation that torch has no derivative of."""
    return NotImplementedError(
        f"Trying to use forward AD with aten::{opname(row.name)}{form} that does not support it."
    )


def dispatch(row: Row, made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operation while a transform is in force: for each example, on casts, below modes, with tangents."""
    if state.trace is not None and state.trace.seen:
        from .record_function import of_row

        return of_row(row, partial(_dispatched, row, made), args, kwargs)
    level = level_of((args, tuple(kwargs.values())))
    if level >= 0:
        if row.name in UNBATCHED:
            first, text = UNBATCHED[row.name]
            if level_of(list(bind(row, args, kwargs).values())[first:]) >= 0:
                raise RuntimeError(text)
        if kwargs.get("out") is not None:
            raise RuntimeError(NO_RULE.format(f"{row.name}.out"))
        if by_wholes(level) and not _has_batched((args, tuple(kwargs.values()))):
            from .func.batch_rules import rule_of

            rule = rule_of(row)
            found = NotImplemented if rule is None else rule(row, args, kwargs, level)
            if found is not NotImplemented:
                return found
        elif not vmaps[level].old:
            from .func.batched_fallback import warn_of

            warn_of(row, args)
        return each_example(partial(_dispatched, row, made), args, kwargs, level)
    if "cpu" in state.autocast:
        from .casting import is_listed, with_casts

        if is_listed(row.name):
            return with_casts(row.name, partial(dispatch, row, made), args, kwargs)
    if state.dispatch_modes or asked((args, tuple(kwargs.values()))):
        from .dispatch import operation, through_modes

        op = operation(row, args, in_place=False)
        return through_modes(row, op, args, kwargs, lambda: dispatch(row, made, args, kwargs))
    return _with_tangents(row, made, args, kwargs)


def _with_tangents(row: Row, made: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operation, and give its results the tangents that follow from its arguments'."""
    found = carried((args, tuple(kwargs.values())))
    if not found and (row.view is None or not levels):
        return count_writes(row.name, _dated(row, args, made(*args, **kwargs)))
    if found and row.name in UNSUPPORTED:
        raise unsupported(UNSUPPORTED[row.name])
    if row.name in KERNELS or row.node_name == "NotImplemented":
        raise no_derivative(row)
    result = _dated(row, args, made(*args, **kwargs))
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
                if row.view is None and (
                    tangent._array.shape != each._array.shape or overlaps(tangent._array)
                ):
                    tangent = tangent.expand(
                        each._array.shape
                    ).contiguous()  # of an operand that is broadcast
                if any(tangent is _tangent(given, level) for given in flat(args)):
                    tangent = tangent.clone()  # each is changed in place alone
                if row.name in WRITES:
                    afresh = (levels[level].of_func and row.name in WRITTEN_BY_DUALS) or (
                        tangent.__class__ is BatchedTensor and row.name in WRITTEN_BY_SINGLES
                    )
                    tangent = _as_written(tangent, 0 if afresh else WRITES[row.name](arguments))
                set_tangent(each, tangent, level)
    for each in results:
        _save_tangents(row, results, each._node)
    return result


def _has_batched(args: Any) -> bool:
    """Whether something that is one for all examples has a tangent that is not: a whole would have that inside."""
    return any(
        isinstance(each, Tensor) and each.__class__ is not BatchedTensor and has_batched(each)
        for each in flat(args)
    )


def _as_written(tangent: Tensor, times: int) -> Tensor:
    """A tangent outside the graph as if it had been written to so often; of a batch, the whole."""
    if tangent.__class__ is BatchedTensor and by_wholes(tangent._level):
        whole, dim = whole_of(tangent)
        return batched_whole(_as_written(whole, times), dim, tangent._level)
    if tangent.requires_grad or tangent._tangents or tangent.__class__ is BatchedTensor:
        return tangent
    written = make(tangent._array)
    version_counter(written).value = times
    return written


def _dated(row: Row, args: tuple[Any, ...], result: Any) -> Any:
    """The result of an operation, which keeps when it was made; see Note [Captured tensors]."""
    if transforms.depth:
        age = transforms.age if row.view is None or not args else args[0]._age
        for each in flat((result,)):
            if isinstance(each, Tensor):
                each._age = age
    return result


def _check_captured(row: Row, arguments: list[Any]) -> None:
    """Refuse to write into what a transform was not given; see Note [Captured tensors].

    Raises:
        RuntimeError: as torch words it.
    """
    self: Tensor = arguments[0]
    if self._age < transforms.since:
        from .dispatch import operation

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


def _dispatched(row: Row, made: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return dispatch(row, made, args, kwargs)


transforms.dispatch = dispatch


def in_place(row: Row, arguments: list[Any], write: Callable[[list[Any]], Tensor]) -> Tensor:
    """Write a row's result into its first argument, and its tangents into that argument's.

    The tangents are those of the operation out of place, on the values before the write. What refuses the write is
    asked first, so that its errors come before those of the operation.
    """
    if state.trace is not None and state.trace.seen:
        from .record_function import of_row

        return cast(
            Tensor, of_row(row, lambda *given: in_place(row, arguments, write), tuple(arguments), {}, "_")
        )
    self: Tensor = arguments[0]
    level = level_of(arguments)
    if level >= 0:
        if by_wholes(level):
            from .func.inplace_rules import write_wholes

            if write_wholes(row, arguments, level):
                return self
        return each_in_place(
            lambda *given: in_place(row, list(given), write), tuple(arguments), {}, level, row.name + "_"
        )
    if state.dispatch_modes or asked(arguments):
        from .dispatch import operation, through_modes

        given = tuple(arguments)
        op = operation(row, given, in_place=True)
        return cast(Tensor, through_modes(row, op, given, {}, lambda: in_place(row, arguments, write)))
    if transforms.since:
        _check_captured(row, arguments)
    if not carried(arguments):
        return write(arguments)
    if row.node_name == "NotImplemented":
        raise no_derivative(row, "_")
    if row.name in UNSUPPORTED or row.name in UNSUPPORTED_IN_PLACE:
        write(arguments)
        raise NotImplementedError(errors.NO_FORWARD_MODE.format(row.name.rstrip("_") + "_"))
    if "generator" in row.parameters:  # to ask what a draw's tangents are would draw again
        written = write(arguments)
        for level in sorted(levels_of(self)):
            change_tangent(self, make(np.zeros_like(self._array)), level)
        return written
    named = dict(zip(row.parameters, arguments, strict=True))
    try:
        if _recorded(named) and not row.view:  # what the tangents' own derivatives need is written over
            named[next(iter(named))] = self.clone()
        result = call(row, named)
    except Exception:
        return write(arguments)
    written = write(arguments)
    for level in sorted(levels_of(result)):
        tangent = tangent_of(result, level)
        assert tangent is not None
        change_tangent(self, tangent, level)
    place = self if self._view is None else self._view.base
    _save_tangents(row, [self], getattr(place._node, "function", place._node))
    return written


def carried(values: Iterable[Any]) -> set[int]:
    """The levels at which any of the tensors has a tangent; none where forward mode is off."""
    found: set[int] = set()
    if not levels or not state.forward_grad or state.inference:
        return found
    for each in values:
        if isinstance(each, Tensor):
            found |= levels_of(each)
        elif isinstance(each, (tuple, list)):
            found |= carried(each)
    return found


def follow(view: Tensor, source: Tensor) -> None:
    """Make a view one for tangents, too; see Note [Views and tangents]."""
    base = forward_base(source)
    if base is None:
        base = source
    if view._view is None or view._view.base is not base:
        view._forward_base = base


def bind(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments of a call by the names of the row's parameters, in their order."""
    given = dict(zip(row.parameters, args, strict=False))
    for name, value in kwargs.items():
        if name != "out":
            given["self" if name == "input" else name] = value
    return {
        name: given.get(name, default) for name, default in zip(row.parameters, row.defaults, strict=True)
    }


def call(row: Row, arguments: dict[str, Any]) -> Any:
    """Call a row with arguments by name."""
    kinds = {name: parameter.kind is parameter.KEYWORD_ONLY for name, parameter in row.parameters.items()}
    positional = [value for name, value in arguments.items() if not kinds[name]]
    return row.call(*positional, **{name: value for name, value in arguments.items() if kinds[name]})


def tangents(row: Row, arguments: dict[str, Any], results: list[Tensor], level: int) -> list[Tensor | None]:
    """The tangents of the results at one level; None for what has no derivative."""
    directions: Directions = {
        name: [_tangent(each, level) for each in arguments[name]]
        if name in row.lists
        else _tangent(arguments[name], level)
        for name in row.inputs
    }
    zeros = np.zeros if row.name in MULTILINEAR else zeros_without_memory
    if (zeros is np.zeros or row.name in BILINEAR or row.name in ELEMENTWISE) and _recorded(arguments):
        directions = {name: _or_zeros(zeros, arguments[name], each) for name, each in directions.items()}
    wanted = {
        name: [each is not None for each in value] if isinstance(value, list) else value is not None
        for name, value in directions.items()
    }
    if not any(any(each) if isinstance(each, list) else each for each in wanted.values()):
        return [None] * len(results)
    given = {name: value for name, value in directions.items() if value is not None}
    if row.view is not None:
        return _listed(call(row, {**arguments, **given}))
    if row.name in LINEAR:
        return _listed(call(row, {**arguments, **_with_zeros(row, arguments, directions)}))
    plain = {
        name: primal(value, level, bool(state.recording) and _requires_grad(value))
        for name, value in arguments.items()
    }
    complex_numbers = any(map(_is_complex, (*results, *flat(arguments.values()))))
    if complex_numbers:
        check_declared(row)
    if row.name == "scatter_reduce" and plain["reduce"] == "prod":
        return [None]  # torch knows no tangent of it, and does not say so
    if row.name in OF_THEIR_OWN:
        return OF_THEIR_OWN[row.name](plain, given, results)
    if row.name in BILINEAR:
        return [_sum(call(row, {**plain, name: value}) for name, value in given.items())]
    if row.name in ELEMENTWISE and not complex_numbers:
        return [_sum(_products(row, plain, given, wanted, results))]
    return _transposed_twice(row, arguments, directions, wanted, results, level)


def _is_complex(value: Any) -> bool:
    return isinstance(value, Tensor) and value._array.dtype.kind == "c"


def _listed(found: Any) -> list[Any]:
    return [found] if isinstance(found, Tensor) else list(found)


def _with_zeros(row: Row, arguments: dict[str, Any], directions: Directions) -> Directions:
    """The directions with zeros for the inputs that have none."""

    def complete(value: Any, direction: Any) -> Any:
        if isinstance(direction, list):
            return [complete(*pair) for pair in zip(value, direction, strict=True)]
        if direction is None and isinstance(value, Tensor):
            return make(np.zeros_like(value._array))
        return 0 if direction is None else direction

    return {name: complete(arguments[name], direction) for name, direction in directions.items()}


def _products(
    row: Row, plain: dict[str, Any], given: Directions, wanted: dict[str, Any], results: list[Tensor]
) -> Iterable[Tensor]:
    """The formula of each input's gradient, applied to its tangent."""
    node = _linearized(row, plain, wanted, results)
    edges = node.next_edges
    for number, name in enumerate(row.inputs):
        if name in given:
            node.next_edges = tuple(edge if i == number else NO_EDGE for i, edge in enumerate(edges))
            found = node.apply((given[name],))[number]
            assert found is not None
            yield found


def _sum(tensors: Iterable[Tensor]) -> Tensor:
    found, *others = tensors
    for each in others:
        found = found + each
    return found


def _linearized(row: Row, plain: dict[str, Any], wanted: dict[str, Any], results: list[Tensor]) -> Node:
    node: Node = row.linearize(*plain.values(), results[0] if len(row.outputs) == 1 else results, wanted)
    for name, kind in row.saved.items():
        if kind == "output":
            setattr(node, f"saved_{name}", results[row.outputs.index(name)])
    return node


def _tangent(value: Any, level: int) -> Tensor | None:
    return tangent_of(value, level) if isinstance(value, Tensor) else None


def _transposed_twice(
    row: Row,
    arguments: dict[str, Any],
    directions: Directions,
    wanted: dict[str, Any],
    results: list[Tensor],
    level: int,
) -> list[Tensor | None]:
    """See Note [Jacobian-vector products from derivatives]."""
    recorded = _recorded(arguments, directions)
    plain = {name: primal(value, level, recorded) for name, value in arguments.items()}
    single = len(row.outputs) == 1
    kept = [
        number
        for number, each in enumerate(results)
        if each._array.dtype.kind in "fcV" and (single or row.outputs[number] not in row.constants)
    ]
    modes = (state.grad_enabled, state.inference)
    _set(True, False)
    try:
        node = _linearized(row, plain, wanted, results)
        gradients = [make(np.zeros(results[n]._array.shape, results[n]._array.dtype)) for n in kept]
        for each in gradients:
            each._requires_grad = True
        # What has no elements may stand for an output that was not asked for, which no formula expects a gradient of.
        transposed = node.apply(tuple(each if single or each._array.size else None for each in gradients))
        roots, towards = [], []
        pairs = zip(
            transposed,
            flat(plain[name] for name in row.inputs),
            flat(directions[name] for name in row.inputs),
            strict=True,
        )
        for number, (found, value, tangent) in enumerate(pairs):
            if tangent is None or found is None or not found.requires_grad:
                continue
            if value._array.dtype.kind != "c" and found._array.dtype.kind == "c":
                found = found.real
            found = conform(found, value._array.shape, value._array.dtype, number, "")
            roots.append(gradient_edge(found))
            towards.append(tangent)
        places = [(grad_accumulator(each), 0) for each in gradients]
        products: list[Tensor | None] = (
            run_backward(tuple(roots), tuple(towards), recorded, recorded, places, False)
            if roots
            else [None] * len(kept)
        )
    finally:
        _set(*modes)
    tangents: list[Tensor | None] = [None] * len(results)
    for number, product, like in zip(kept, products, gradients, strict=True):
        tangents[number] = make(np.zeros_like(like._array)) if product is None else product
    return tangents


def _recorded(*named: dict[str, Any]) -> bool:
    """Whether what is computed from these has a place in the graph."""
    return bool(state.recording) and any(
        _requires_grad(each) for values in named for each in flat(values.values())
    )


def _or_zeros(zeros: Callable[..., Any], value: Any, direction: Any) -> Any:
    """The direction; see Note [Absent tangents] where there is none."""
    if direction is not None or not isinstance(value, Tensor) or value._array.dtype.kind not in "fcV":
        return direction
    return make(zeros(value._array.shape, value._array.dtype))


def zeros_beside(arguments: Directions, directions: Directions, names: Iterable[str]) -> Directions:
    """The directions of these arguments, with zeros for those that have none where that has a place in the graph."""
    given = {name: directions.get(name) for name in names}
    if _recorded(arguments, directions):
        given = {name: _or_zeros(np.zeros, arguments[name], each) for name, each in given.items()}
    return {name: each for name, each in given.items() if each is not None}


def _requires_grad(value: Any) -> bool:
    if not isinstance(value, Tensor):
        return False
    return value.requires_grad or any(map(_requires_grad, (value._tangents or {}).values()))


def primal(value: Any, level: int, recorded: bool) -> Any:
    """A tensor without its tangents of a level and those inside it; outside the graph unless that is recorded."""
    if not isinstance(value, Tensor):
        return value
    found = make(value._array)
    if recorded and not value._inference:  # which counts no versions
        edge = gradient_edge(value)
        as_view(found, value)
        if edge[0] is not None:
            node = new_node(Alias if level < len(levels) and levels[level].of_func else Identity)
            node.next_edges, node.input_metadata = (edge,), ((value._array.shape, value._array.dtype),)
            found._node, found._requires_grad = node, True
    for outer in sorted(levels_of(value)):
        tangent = tangent_of(value, outer) if outer < level else None
        if tangent is not None:
            set_tangent(found, tangent, outer)
    found._forward_base = None
    return found


def unpacked(dual: Tensor, level: int) -> Tensor:
    """The primal of a dual: a view for backward, with none of the tangents of this level."""
    found = primal(dual, level, bool(state.recording))
    if not state.inference:
        as_view(found, dual)
    return found
