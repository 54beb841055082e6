"""Jacobian-vector products of the rows: the tangents of results from those of inputs.

Note [Jacobian-vector products from derivatives]: most rows have no forward-mode formula. Their backward formula
multiplies a gradient ``u`` by the transposed Jacobian, and is linear in ``u``. Differentiating it with respect to
``u``, with the inputs' tangents as gradients, yields the Jacobian times the tangents ("double backward trick"); the
value of ``u`` does not matter. A view needs none of this: the tangent of a view is the same view of the tangent.

Note [Absent tangents]: if only some inputs have tangents, torch uses ZeroTensors for the others. Autograd records
operations on these, so that a result's tangent can require grad because another input, such as a weight, does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._aten.complex_gradients import check_declared
from .._aten.registry import Row
from .._aten.sparse.kernels import no_kernel
from .._autograd.batched_tensor import flat_values
from .._autograd.engine import run_backward
from .._autograd.forward_grad import (
    is_recorded,
    levels,
    levels_of,
    materialize_tangent,
    requires_grad,
    set_tangent,
    tangent_of,
    with_same_meta,
)
from .._autograd.node import NO_EDGE, Alias, Identity, Node, grad_accumulator, gradient_edge, new_node
from .._autograd.tensor import Tensor, make
from .._autograd.validate_outputs import conform
from .._autograd.views import as_view
from .._c10.interpreter_stack import Transform
from .._c10.layout import Unstrided
from .._c10.modes import _set, state
from .._c10.zero_tensor import zeros as zeros_without_memory
from .jvp_formulas import FORMULAS

_PASSED = Transform(
    alive=False
)  # marks the variables ``u`` of the transposition, so that no graph reports them
Directions = dict[str, Any]  # the tangent or None of each input; for a list of tensors, a list


def call(row: Row, arguments: dict[str, Any]) -> Any:
    """Call a row with a mapping of all its arguments by name."""
    kinds = {name: parameter.kind is parameter.KEYWORD_ONLY for name, parameter in row.parameters.items()}
    positional = [value for name, value in arguments.items() if not kinds[name]]
    return row.call(*positional, **{name: value for name, value in arguments.items() if kinds[name]})


def tangents(row: Row, arguments: dict[str, Any], results: list[Tensor], level: int) -> list[Tensor | None]:
    """The tangents of the results at one level; None for a result that is not differentiable."""
    directions: Directions = {
        name: [direction_of(each, level) for each in arguments[name]]
        if name in row.lists
        else direction_of(arguments[name], level)
        for name in row.inputs
    }
    kind = row.facts.jvp
    if row.ufunc is not None and levels[level].of_func:
        _wrap_numbers(arguments, directions)
    zeros = np.zeros if kind == "multilinear" else zeros_without_memory
    if kind in ("multilinear", "bilinear", "auto_element_wise") and is_recorded(arguments):
        directions = {
            name: materialize_tangent(zeros, arguments[name], each) for name, each in directions.items()
        }
    wanted = {
        name: [each is not None for each in value] if isinstance(value, list) else value is not None
        for name, value in directions.items()
    }
    if not any(any(each) if isinstance(each, list) else each for each in wanted.values()):
        return [None] * len(results)
    given = {name: value for name, value in directions.items() if value is not None}
    absent = (arguments[name] for name in row.inputs if name not in given)
    if any(isinstance(getattr(each, "_array", None), Unstrided) for each in absent):
        raise NotImplementedError(no_kernel("aten::_efficientzerotensor", "SparseCPU"))  # the missing tangent
    if row.view is not None:
        if row.name == "as_strided":  # a tangent that samples of a vmap share is expanded
            given["self"] = with_same_meta(given["self"], arguments["self"])
        return _listed(call(row, {**arguments, **given}))
    if kind == "auto_linear":
        return _listed(call(row, {**arguments, **_with_zeros(row, arguments, directions)}))
    plain = {
        name: primal(value, level, bool(state.recording) and requires_grad(value))
        for name, value in arguments.items()
    }
    complex_numbers = any(map(_is_complex, (*results, *flat_values(arguments.values()))))
    if complex_numbers:
        check_declared(row)
    if row.name == "scatter_reduce" and plain["reduce"] == "prod":
        return [None]  # torch silently computes no tangent here
    if row.name in FORMULAS:
        return FORMULAS[row.name](plain, given, results)
    if kind == "bilinear":
        return [_sum(call(row, {**plain, name: value}) for name, value in reversed(given.items()))]
    if kind == "auto_element_wise" and not complex_numbers:
        return [_sum(_products(row, plain, given, wanted, results))]
    return _transposed_twice(row, arguments, directions, wanted, results, level)


def _wrap_numbers(arguments: dict[str, Any], directions: Directions) -> None:
    """Set the tangents of Python numbers to 0-d zeros of the number's dtype, which takes part in type promotion."""
    for name in directions:
        if isinstance(arguments[name], (int, float, complex)):
            directions[name] = make(zeros_without_memory((), np.dtype(type(arguments[name]))))


def _is_complex(value: Any) -> bool:
    return isinstance(value, Tensor) and value._array.dtype.kind == "c"


def _listed(found: Any) -> list[Any]:
    return [found] if isinstance(found, Tensor) else list(found)


def _with_zeros(row: Row, arguments: dict[str, Any], directions: Directions) -> Directions:
    """The inputs' tangents, with zeros for the inputs that have none."""

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
    """The formula of each input's gradient, applied to its tangent; the last first, see `_sum`."""
    node = _linearized(row, plain, wanted, results)
    edges = node.next_edges
    for number, name in reversed([*enumerate(row.inputs)]):
        if name in given:
            node.next_edges = tuple(edge if i == number else NO_EDGE for i, edge in enumerate(edges))
            result = node._apply((given[name],))[number]
            assert result is not None
            yield result


def _sum(tensors: Iterable[Tensor]) -> Tensor:
    """The sum from the first to the last, which come the other way round: torch computes the last one first."""
    result, *others = reversed([*tensors])
    for each in others:
        result = result + each
    return result


def _linearized(row: Row, plain: dict[str, Any], wanted: dict[str, Any], results: list[Tensor]) -> Node:
    node: Node = row.linearize(*plain.values(), results[0] if len(row.outputs) == 1 else results, wanted)
    for name, kind in row.saved.items():
        if kind == "output":
            setattr(node, f"saved_{name}", results[row.outputs.index(name)])
    return node


def direction_of(value: Any, level: int) -> Tensor | None:
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
    recorded = is_recorded(arguments, directions)
    plain = {name: primal(value, level, recorded) for name, value in arguments.items()}
    single = len(row.outputs) == 1
    constant = [row.outputs.index(each) for each in row.constants]
    kept = [
        number
        for number, each in enumerate(results)
        if each._array.dtype.kind in "fcV" and (single or number not in constant)
    ]
    modes = (state.grad_enabled, state.inference)
    _set(True, False)
    try:
        node = _linearized(row, plain, wanted, results)
        gradients = [make(np.zeros(results[n]._array.shape, results[n]._array.dtype)) for n in kept]
        for each in gradients:
            each._requires_grad, each._transform = True, _PASSED
        # An empty result may replace an output that was not requested; formulas expect no gradient of that.
        transposed = node._apply(tuple(each if single or each._array.size else None for each in gradients))
        roots, towards = [], []
        pairs = zip(
            transposed,
            flat_values(plain[name] for name in row.inputs),
            flat_values(directions[name] for name in row.inputs),
            strict=True,
        )
        for number, (result, value, tangent) in enumerate(pairs):
            if tangent is None or result is None or not result.requires_grad:
                continue
            if value._array.dtype.kind != "c" and result._array.dtype.kind == "c":
                result = result.real
            result = conform(result, value._array.shape, value._array.dtype, number, "")
            roots.append(gradient_edge(result))
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


def primal(value: Any, level: int, recorded: bool) -> Any:
    """A tensor without its tangents at this level and inner ones; detached unless ``recorded``."""
    if not isinstance(value, Tensor):
        return value
    result = make(value._array)
    if recorded and not value._inference:  # inference tensors have no version counter
        edge = gradient_edge(value)
        as_view(result, value)
        if edge[0] is not None:
            node = new_node(Alias if level < len(levels) and levels[level].of_func else Identity)
            node.next_edges, node.input_metadata = (edge,), ((value._array.shape, value._array.dtype),)
            result._node, result._requires_grad = node, True
    for outer in sorted(levels_of(value)):
        tangent = tangent_of(value, outer) if outer < level else None
        if tangent is not None:
            set_tangent(result, tangent, outer)
    result._forward_base = None
    return result


def unpacked(dual: Tensor, level: int) -> Tensor:
    """The primal of a dual tensor: a view for autograd, without the tangent at this level."""
    result = primal(dual, level, bool(state.recording))
    if not state.inference:
        as_view(result, dual)
    return result
