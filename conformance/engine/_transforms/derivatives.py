"""torch.func: grad, grad_and_value, vjp, jvp, linearize and functionalize (torch: _functorch/eager_transforms.py)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

from .._aten.creation.factories import zeros_like
from .._autograd.batched_tensor import BatchedTensor, level_of
from .._autograd.forward_grad import begin_level, end_level, levels
from .._autograd.saved_variable import disable_saved_tensors_hooks
from .._autograd.tensor import Tensor
from .._autograd.torch_function import has_torch_function
from .._c10 import errors, modes
from .._c10.interpreter_stack import Transform
from .._c10.modes import state
from .._c10.pytree import flatten, outline, tree_map, unflatten
from .forward_ad import _set_fwd_grad_enabled, dual_level, make_dual, overridable_dual, overridable_unpacked
from .grad_levels import end, fresh, gradients_of, left
from .interpreter_nesting import nested

_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)
_JVP = "jvp(f, primals, tangents)"

# Arguments ----------------------------------------------------------------------------------------


def places_of(argnums: Any, count: int) -> tuple[int, ...]:
    """The positions that ``argnums`` names, counted from 0."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    result = []
    for each in (argnums,) if isinstance(argnums, int) else argnums:
        if not isinstance(each, int):
            raise RuntimeError(f"argnum must be int, got: {type(each)}")
        if not -count <= each < count:
            raise RuntimeError(f"Got argnum={each}, but only {count} positional inputs")
        result.append(each % count)
    if isinstance(argnums, tuple):
        if not result:
            raise RuntimeError("argnums must be non-empty")
        if len(set(result)) != len(result):
            raise RuntimeError(f"argnums elements must be unique, got {tuple(result)}")
    return tuple(result)


def replaced(args: Iterable[Any], places: Sequence[int], values: Sequence[Any]) -> list[Any]:
    result = list(args)
    for place, value in zip(places, values, strict=True):
        result[place] = value
    return result


def _with_aux(output: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for each in flatten(output[1])[0]:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(each)}")
    return output


def _check_outputs(flat: list[Any], api: str) -> None:
    if not flat or (len(flat) == 1 and flat[0] is None):
        raise RuntimeError(
            f"{api}: Expected f to be a function that has non-empty output (got output = {flat})"
        )
    for each in flat:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(each)}"
            )


# Reverse mode -------------------------------------------------------------------------------------


def grad_and_value(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func`` with respect to the arguments ``argnums``, and its value.

    Raises:
        RuntimeError: ``func`` does not return a scalar tensor; ``argnums`` does not fit the arguments.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recording = bool(state.recording)
        api = "grad_and_value(f)(*args)"
        with disable_saved_tensors_hooks(_HOOKS), nested(), modes.enable_grad():
            transform = Transform()
            places = places_of(argnums, len(args))
            chosen = [args[place] for place in places]
            wanted = tree_map(lambda each: fresh(each, transform), chosen)
            output, aux = _with_aux(func(*replaced(args, places, wanted), **kwargs), has_aux, api)
            if not isinstance(output, Tensor):
                raise RuntimeError(f"{api}: Expected f(*args) to return a Tensor, got {type(output)}")
            if output.dim() != 0:
                raise RuntimeError(
                    f"{api}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe "
                    "you wanted to use the vjp or jacrev APIs instead?"
                )
            inputs, spec = flatten(wanted)
            result = unflatten(gradients_of([output], inputs, [None]), spec)
        end(transform)
        gradient = result[0] if isinstance(argnums, int) else tuple(result)
        gradient, output, aux = tree_map(
            lambda each: left(each, recording, transform), (gradient, output, aux)
        )
        return (gradient, (output, aux)) if has_aux else (gradient, output)

    return wrapper


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func`` with respect to ``argnums``; see grad_and_value."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradient, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of ``func``, and a function that maps cotangents of the outputs to gradients of the primals.

    Raises:
        RuntimeError: an output is not a floating-point or complex tensor.
    """
    recording = bool(state.recording)
    with disable_saved_tensors_hooks(_HOOKS), nested(), modes.enable_grad():
        transform = Transform()
        wanted = tree_map(lambda each: fresh(each, transform), primals)
        value, aux = _with_aux(func(*wanted), has_aux, "vjp(f, *primals)")
        outputs, output_spec = flatten(value)
        _check_outputs(outputs, "vjp(f, *primals)")
        for each in outputs:
            if each._array.dtype.kind not in "fcV":
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{each.dtype}"
                )
    end(transform)
    inputs, input_spec = flatten(wanted)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        arguments, spec = flatten(cotangents)
        if spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {outline(spec)}, primal output: {outline(output_spec)}"
            )
        recorded = state.grad_enabled if create_graph is None else create_graph
        apart = state.inference or level_of((outputs, inputs)) >= 0
        with nested() if apart else nullcontext(), modes.enable_grad():
            result = gradients_of(outputs, inputs, arguments, retain_graph, recorded)
        return unflatten([left(each, recorded, transform) for each in result], input_spec)

    value, aux = tree_map(lambda each: left(each, recording, transform), (value, aux))
    return (value, vjp_fn, aux) if has_aux else (value, vjp_fn)


# Forward mode -------------------------------------------------------------------------------------


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """The value of ``func``, and the product of its Jacobian with the tangents.

    Raises:
        RuntimeError: primals and tangents do not match; an output is not a tensor.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    arguments, spec = flatten(primals)
    directions, direction_spec = flatten(tangents)
    if spec != direction_spec:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with structure "
            f"{direction_spec}"
        )
    for values, what in ((arguments, "primals"), (directions, "tangents")):
        if not values:
            raise RuntimeError(f"{_JVP}: Expected {what} to contain at least one Tensor.")
        for each in values:
            if not isinstance(each, Tensor):
                raise RuntimeError(f"{_JVP}: Expected {what} to only contain Tensors, got {type(each)}")
    _check_floating(arguments)
    recording, enabled = bool(state.recording), state.forward_grad
    with nested(backward=False), _set_fwd_grad_enabled(True):
        transform = Transform()
        if levels and not levels[-1].of_func:
            raise RuntimeError(errors.NESTED_FORWARD)
        level = begin_level(of_func=True, enabled=enabled).number
        try:
            duals = [
                overridable_dual(each, tangent, level)
                for each, tangent in zip(arguments, directions, strict=True)
            ]
            value, aux = _with_aux(func(*unflatten(duals, spec)), has_aux, _JVP)
            outputs, output_spec = flatten(value)
            _check_outputs(outputs, _JVP)
            pairs = [_pair(each, level, strict) for each in outputs]
        finally:
            end_level()
    values, products = (
        [left(each, recording, transform) for each in result] for result in zip(*pairs, strict=True)
    )
    value, product = unflatten(values, output_spec), unflatten(products, output_spec)
    aux = tree_map(lambda each: left(each, recording, transform), aux)
    return (value, product, aux) if has_aux else (value, product)


def _check_floating(primals: list[Tensor]) -> None:
    for each in primals:
        if each._array.dtype.kind not in "fcV":
            raise ValueError(f"Expected primal to be floating point or complex, but got: {each.dtype}")


def _pair(dual: Tensor, level: int, strict: bool) -> tuple[Tensor, Tensor]:
    overridden = has_torch_function((dual,))
    value, tangent = overridable_unpacked(dual, level)
    if overridden and tangent is not None and tangent.__class__ is not BatchedTensor:
        tangent.__class__ = Tensor  # the level unwraps it
    if tangent is None and strict:
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
            "with strict=True."
        )
    return value, zeros_like(value) if tangent is None else tangent


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of ``func``, and a function that multiplies tangents by the Jacobian at the primals.

    ``func`` is called twice: with the primals, and with dual tensors. The output tangents are linear in the input
    tangents; their graph is saved and transposed twice, as in Note [Jacobian-vector products from derivatives].

    Raises:
        ValueError: a primal is neither floating point nor complex.
    """
    value = func(*primals)
    arguments, input_spec = flatten(primals)

    def pushed(*directions: Tensor) -> Any:
        with dual_level():
            duals = [make_dual(each, tangent) for each, tangent in zip(arguments, directions, strict=True)]
            outputs = flatten(func(*unflatten(duals, input_spec)))[0]
            return [_pair(each, 0, False)[1] for each in outputs if isinstance(each, Tensor)]

    outputs, output_spec = flatten(value)
    _check_floating(arguments)
    of_zeros, vjp_fn = (
        vjp(pushed, *map(zeros_like, arguments)) if any(map(_is_tensor, outputs)) else ([], None)
    )

    def jvp_fn(*tangents: Any) -> Any:
        directions, spec = flatten(tangents)
        if spec != input_spec:
            raise RuntimeError(
                f"Expected the tangents {spec} to have the same argspec as the primals {input_spec}"
            )
        for number, (each, tangent) in enumerate(zip(arguments, directions, strict=True)):
            _check_tangent(number, each, tangent)
        products = iter(
            vjp(vjp_fn, list(map(zeros_like, of_zeros)))[1](tuple(directions))[0] if vjp_fn else ()
        )
        return unflatten([next(products) if _is_tensor(each) else each for each in outputs], output_spec)

    return value, jvp_fn


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def _check_tangent(number: int, primal: Any, tangent: Any) -> None:
    for what in ("shape", "dtype"):
        wanted, given = getattr(primal, what), getattr(tangent, what)
        if wanted != given:
            raise RuntimeError(
                f"tangent:{number} with {what} {given} in flattened pytree doesn't match the {what} {wanted} of the "
                "corresponding primal."
            )


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Refuse backward inside ``func``: without tracing, removing mutations and views changes no result of it.

    Raises:
        RuntimeError: ``remove`` is neither "mutations" nor "mutations_and_views".
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n     remove='mutations_and_views': In addition to the above, all "
            "aliasing operators {view} will be replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    def functionalized(*args: Any, **kwargs: Any) -> Any:
        with nested(derivative=False, functional=True):
            return func(*args, **kwargs)

    return functionalized
