"""Derivatives of custom operators (torch: _library/autograd.py).

Note [Lists of tensors]: an autograd.Function has single tensors as inputs and outputs. If the schema has lists of tensors,
they are flattened before the Function and unflattened after it, so that the user's functions see lists. As in torch the
Function then has one more argument, which ``needs_input_grad`` counts in setup_context.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from .._autograd.batched_tensor import flat_values
from .._autograd.custom_function import Function, FunctionMeta
from .._autograd.tensor import Tensor
from .._c10.dispatch_state import below_autograd
from .._c10.modes import state
from .._c10.pytree import TreeSpec, flatten, unflatten
from .arguments import filled
from .operators import Operator, redispatch

if TYPE_CHECKING:
    from .schema import FunctionSchema


class Formula(NamedTuple):
    """The ``backward`` and ``setup_context`` that a program registered for an operator."""

    backward: Callable[..., Any] | None = None
    setup_context: Callable[..., Any] | None = None


@dataclass
class _Call:
    """The keyword arguments of one call of an operator, and the structure of its arguments and result."""

    keywords: dict[str, Any]
    given: TreeSpec | None = None  # the nesting of arguments and result, see Note [Lists of tensors]
    result: TreeSpec | None = None


def autograd_kernel(op: Operator, formula: Callable[[], Formula]) -> Callable[..., Any]:
    """The kernel that records a node; its derivative is whatever ``formula`` returns when backward runs."""
    schema = op._parsed
    nested = any("several" in each.type.tensors for each in (*schema.arguments, *schema.returns))

    def forward(ctx: Any, *args: Any) -> Any:
        call = args[-1]
        given = (unflatten(list(args[:-1]), call.given) if nested else args)[:-1]
        with below_autograd():
            result = redispatch(op, given, call.keywords)
            if formula().setup_context is not None:
                _set_up(formula().setup_context, ctx, schema, given, call.keywords, result)
        if not nested:
            return result
        leaves, call.result = flatten(result if isinstance(result, tuple) else (result,), _is_leaf)
        ctx._call = call
        return tuple(leaves)

    def backward(ctx: Any, *grads: Any) -> Any:
        registered = formula().backward
        needs = ctx.needs_input_grad
        if nested:
            grads = unflatten(list(grads), ctx._call.result)
            ctx.needs_input_grad = unflatten(list(needs[:-1]), ctx._call.given)[:-1]
        else:
            ctx.needs_input_grad = needs[:-1]
        try:
            if registered is None:
                raise RuntimeError(
                    f"Trying to backward through {op} but no autograd formula was registered. Please use "
                    "register_autograd to add one."
                )
            result = registered(ctx, *grads)
        finally:
            ctx.needs_input_grad = needs
        found = (*result, None) if isinstance(result, tuple) else (result, None)
        return (*_in_order(found, ctx._call.given), None) if nested else found

    name = f"GeneratedBackwardFor_{op.namespace}_{op._opname}_{op._overloadname}"
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    function: Any = FunctionMeta(name, (Function,), methods)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if not (
            state.recording
            and any(isinstance(each, Tensor) and each.requires_grad for each in flat_values(args))
        ):
            with below_autograd():
                return redispatch(op, args, kwargs)
        call = _Call(kwargs)
        if not nested:
            return function.apply(*args, call)
        leaves, call.given = flatten((*args, call), _is_leaf)
        result = unflatten(list(function.apply(*leaves, call)), call.result or TreeSpec())
        return result if len(schema.returns) > 1 else result[0]

    return kernel


def _set_up(
    function: Callable[..., Any],
    ctx: Any,
    schema: FunctionSchema,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    output: Any,
) -> None:
    inputs, named = filled(schema, args, kwargs)
    if named:
        function(ctx=ctx, inputs=inputs, keyword_only_inputs=named, output=output)
    else:
        function(ctx=ctx, inputs=inputs, output=output)


def _is_leaf(value: Any) -> bool:
    if isinstance(value, list):
        return not all(isinstance(each, Tensor) for each in value)
    return not isinstance(value, tuple)


def _is_leaf_of_gradients(value: Any) -> bool:
    if isinstance(value, list):
        return not all(each is None or isinstance(each, Tensor) for each in value)
    return not isinstance(value, tuple)


def _in_order(gradients: tuple[Any, ...], given: TreeSpec) -> tuple[Any, ...]:
    leaves, spec = flatten(gradients, _is_leaf_of_gradients)
    if spec != given:
        raise RuntimeError(
            f"Expected the return from backward to be of the same structure as the inputs. Got: {spec} (return from "
            f"backward), {given} (inputs)"
        )
    return tuple(leaves)
