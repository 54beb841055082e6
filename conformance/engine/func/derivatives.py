"""torch.func: derivatives as functions (torch: _functorch/eager_transforms.py)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import modes
from ..autograd.forward_ad import dual_of, unpacked_dual
from ..autograd.graph import disable_saved_tensors_hooks
from ..creation import zeros_like
from ..modes import state
from ..ops.joining import cat, stack
from ..pytree import flatten, outline, tree_map, unflatten
from ..tangents import begin_level, end_level
from ..tensor import Tensor
from .levels import Transform, fresh, gradients_of, left
from .nesting import nested
from .vmap import vmap

_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)
_JVP = "jvp(f, primals, tangents)"

# Arguments ----------------------------------------------------------------------------------------


def _places(argnums: Any, count: int) -> tuple[int, ...]:
    """The positions that argnums names.

    Raises:
        RuntimeError: it names none, one twice, or one that is not there.
    """
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    found = []
    for each in (argnums,) if isinstance(argnums, int) else argnums:
        if not isinstance(each, int):
            raise RuntimeError(f"argnum must be int, got: {type(each)}")
        if not -count <= each < count:
            raise RuntimeError(f"Got argnum={each}, but only {count} positional inputs")
        found.append(each % count)
    if isinstance(argnums, tuple):
        if not found:
            raise RuntimeError("argnums must be non-empty")
        if len(set(found)) != len(found):
            raise RuntimeError(f"argnums elements must be unique, got {tuple(found)}")
    return tuple(found)


def _replaced(args: Iterable[Any], places: tuple[int, ...], values: Sequence[Any]) -> list[Any]:
    found = list(args)
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return found


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


# By backward --------------------------------------------------------------------------------------


def grad_and_value(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func`` by the arguments ``argnums``, and its value.

    Raises:
        RuntimeError: the value is not one number; ``argnums`` does not fit.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recording = bool(state.recording)
        transform = Transform()
        api = "grad_and_value(f)(*args)"
        with disable_saved_tensors_hooks(_HOOKS), nested(), modes.enable_grad():
            places = _places(argnums, len(args))
            chosen = [args[place] for place in places]
            wanted = tree_map(lambda each: fresh(each, transform), chosen)
            output, aux = _with_aux(func(*_replaced(args, places, wanted), **kwargs), has_aux, api)
            if not isinstance(output, Tensor):
                raise RuntimeError(f"{api}: Expected f(*args) to return a Tensor, got {type(output)}")
            if output.dim() != 0:
                raise RuntimeError(
                    f"{api}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe "
                    "you wanted to use the vjp or jacrev APIs instead?"
                )
            inputs, spec = flatten(wanted)
            found = unflatten(gradients_of([output], inputs, [None]), spec)
        transform.alive = False
        gradient = found[0] if isinstance(argnums, int) else tuple(found)
        gradient, output, aux = tree_map(lambda each: left(each, recording), (gradient, output, aux))
        return (gradient, (output, aux)) if has_aux else (gradient, output)

    return wrapper


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func`` by the arguments ``argnums``; see grad_and_value."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradient, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return wrapper


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of ``func``, and a function from gradients of it to gradients of the primals.

    Raises:
        RuntimeError: the value is anything but floating tensors.
    """
    recording = bool(state.recording)
    transform = Transform()
    with disable_saved_tensors_hooks(_HOOKS), nested(), modes.enable_grad():
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
    transform.alive = False
    inputs, input_spec = flatten(wanted)

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given, spec = flatten(cotangents)
        if spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {outline(spec)}, primal output: {outline(output_spec)}"
            )
        outside = bool(state.recording)
        with nested(), modes.enable_grad():
            found = gradients_of(outputs, inputs, given)
        return unflatten([left(each, outside) for each in found], input_spec)

    value, aux = tree_map(lambda each: left(each, recording), (value, aux))
    return (value, vjp_fn, aux) if has_aux else (value, vjp_fn)


def _need_real(name: str, what: str, values: Any) -> None:
    """Refuse complex numbers, of which a Jacobian has no gradient for each.

    Raises:
        RuntimeError: as torch words it.
    """
    for number, each in enumerate(flatten(values)[0]):
        if isinstance(each, Tensor) and each.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {number}"
            )


def jacrev(
    func: Callable[..., Any], argnums: Any = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """A function that returns the Jacobian of ``func`` by the arguments ``argnums``, row by row.

    Raises:
        ValueError: ``chunk_size`` is not positive.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        _need_real("jacrev", "inputs", args)
        places = _places(argnums, len(args))
        value, vjp_fn, *aux = vjp(
            lambda *chosen: func(*_replaced(args, places, chosen)),
            *[args[place] for place in places],
            has_aux=has_aux,
        )
        _need_real("jacrev", "outputs", value)
        outputs, output_spec = flatten(value)
        blocks = []
        for number, output in enumerate(outputs):
            rows = [flatten(vjp_fn(unflatten(each, output_spec)))[0] for each in _one_by_one(outputs, number)]
            inputs, input_spec = flatten([args[place] for place in places])
            columns = zip(*rows, strict=True) if rows else [()] * len(inputs)
            jacobians = [
                (stack(list(column)) if column else each.new_zeros((0, *each.shape))).reshape(
                    (*output.shape, *each.shape)
                )
                for column, each in zip(columns, inputs, strict=True)
            ]
            found = unflatten(jacobians, input_spec)
            blocks.append(found[0] if isinstance(argnums, int) else tuple(found))
        jacobian = unflatten(blocks, output_spec)
        return (jacobian, aux[0]) if has_aux else jacobian

    return wrapper


def _one_by_one(tensors: list[Tensor], number: int) -> Iterable[list[Tensor]]:
    """Zeros like the tensors, but a one at each place of one of them after the other."""
    for place in range(tensors[number].numel()):
        found = [each.new_zeros(each.shape) for each in tensors]
        found[number].view(-1)[place] = 1
        yield found


# Forward ------------------------------------------------------------------------------------------


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """The value of ``func``, and the product of its Jacobian with the tangents.

    Raises:
        RuntimeError: primals and tangents that do not match; a value that is anything but tensors.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    given, spec = flatten(primals)
    directions, direction_spec = flatten(tangents)
    if spec != direction_spec:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with structure "
            f"{direction_spec}"
        )
    for values, what in ((given, "primals"), (directions, "tangents")):
        if not values:
            raise RuntimeError(f"{_JVP}: Expected {what} to contain at least one Tensor.")
        for each in values:
            if not isinstance(each, Tensor):
                raise RuntimeError(f"{_JVP}: Expected {what} to only contain Tensors, got {type(each)}")
    _check_floating(given)
    with nested(), modes._set_fwd_grad_enabled(True):
        level = begin_level(of_func=True).number
        try:
            duals = [dual_of(each, tangent, level) for each, tangent in zip(given, directions, strict=True)]
            value, aux = _with_aux(func(*unflatten(duals, spec)), has_aux, _JVP)
            outputs, output_spec = flatten(value)
            _check_outputs(outputs, _JVP)
            pairs = [_pair(each, level, strict) for each in outputs]
            aux = tree_map(
                lambda each: unpacked_dual(each, level)[0] if isinstance(each, Tensor) else each, aux
            )
        finally:
            end_level()
    value = unflatten([each for each, _ in pairs], output_spec)
    product = unflatten([tangent for _, tangent in pairs], output_spec)
    return (value, product, aux) if has_aux else (value, product)


def _check_floating(primals: list[Tensor]) -> None:
    for each in primals:
        if each._array.dtype.kind not in "fcV":
            raise ValueError(f"Expected primal to be floating point or complex, but got: {each.dtype}")


def _pair(dual: Tensor, level: int, strict: bool) -> tuple[Tensor, Tensor]:
    value, tangent = unpacked_dual(dual, level)
    if tangent is None and strict:
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
            "with strict=True."
        )
    return value, zeros_like(value) if tangent is None else tangent


def jacfwd(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func`` by the arguments ``argnums``, column by column."""

    @functools.wraps(func)
    def wrapper(*args: Any) -> Any:
        _need_real("jacfwd", "inputs", args)
        places = tuple(range(len(args))) if argnums is None else _places(argnums, len(args))
        inputs, input_spec = flatten([args[place] for place in places])
        kept: list[Any] = []

        def push(*directions: Tensor) -> Any:
            _, product, *aux = jvp(
                lambda *chosen: func(*_replaced(args, places, chosen)),
                tuple(args[place] for place in places),
                tuple(unflatten(list(directions), input_spec)),
                has_aux=has_aux,
            )
            kept[:] = aux
            _need_real("jacfwd", "outputs", product)
            return product

        columns = [
            cat([stack(part) for part in parts])
            for parts in zip(
                *(
                    zip(*_one_by_one(inputs, number), strict=True)
                    for number, each in enumerate(inputs)
                    if each.numel()
                ),
                strict=True,
            )
        ] or [each.new_zeros((0, *each.shape)) for each in inputs]
        products = vmap(push, randomness=randomness)(*columns)
        flat, output_spec = flatten(products)
        counts = [each.numel() for each in inputs]
        blocks = []
        for product in flat:
            jacobians = [
                part.unflatten(-1, each.shape) if each.dim() else part.squeeze(-1)
                for part, each in zip(product.movedim(0, -1).split(counts, -1), inputs, strict=True)
            ]
            found = unflatten(jacobians, input_spec)
            blocks.append(found[0] if isinstance(argnums, int) else tuple(found))
        jacobian = unflatten(blocks, output_spec)
        return (jacobian, tree_map(_first_example, kept[0])) if has_aux else jacobian

    return wrapper


def _first_example(value: Any) -> Any:
    return value._examples[0] if hasattr(value, "_examples") else value


def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """A function that returns the Hessian of ``func`` by the arguments ``argnums``: forward over reverse."""
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of ``func``, and a function from tangents to the product with its Jacobian there.

    ``func`` is called once; what is linear in the gradients is transposed, see
    Note [Jacobian-vector products from derivatives].

    Raises:
        ValueError: a primal of integers.
    """
    given, input_spec = flatten(primals)
    _check_floating([each for each in given if isinstance(each, Tensor)])
    value, vjp_fn = vjp(func, *primals)
    outputs, output_spec = flatten(value)

    def jvp_fn(*tangents: Any) -> Any:
        directions, spec = flatten(tangents)
        if spec != input_spec:
            raise RuntimeError(
                f"Expected the tangents {spec} to have the same argspec as the primals {input_spec}"
            )
        for number, (each, tangent) in enumerate(zip(given, directions, strict=True)):
            _check_tangent(number, each, tangent)
        _, transposed = vjp(vjp_fn, unflatten([zeros_like(each) for each in outputs], output_spec))
        return transposed(unflatten(directions, input_spec))[0]

    return value, jvp_fn


def _check_tangent(number: int, primal: Any, tangent: Any) -> None:
    for what in ("shape", "dtype"):
        wanted, given = getattr(primal, what), getattr(tangent, what)
        if wanted != given:
            raise RuntimeError(
                f"tangent:{number} with {what} {given} in flattened pytree doesn't match the {what} {wanted} of the "
                "corresponding primal."
            )


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """The function itself, whose results are the same: nothing here traces programs.

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
    return func
