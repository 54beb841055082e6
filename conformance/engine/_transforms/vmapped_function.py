"""Custom Functions with generate_vmap_rule=True (torch: vmapify_autograd_function in _functorch/autograd_function.py).

Note [Functions of whole batches]: another Function is applied once, outside the vmap, to the values of the batched
arguments. Its forward, setup_context, backward and jvp call those of the original under a vmap of their own. It saves
the values of batched tensors, and their batch dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from .._autograd.batched_tensor import inside_derivative, make_batched, unwrap_batched, vmaps
from .._autograd.custom_function import Function
from .._autograd.tensor import Tensor
from .._c10.interpreter_stack import outside_derivatives
from .._c10.pytree import broadcast_to_and_flatten, flatten, unflatten
from .batch_dims import is_at
from .vmap import vmap, vmapping


def unwrapped(values: Any, level: int) -> tuple[Any, Any]:
    """Unwrap the batched tensors of a level in a pytree: their values, and their batch dimensions, None for others."""
    leaves, spec = flatten(values)
    taken = [unwrap_batched(each) if is_at(each, level) else (each, None) for each in leaves]
    return unflatten([each for each, _ in taken], spec), unflatten([dim for _, dim in taken], spec)


def wrapped(values: Any, dims: Any, level: int) -> Any:
    """Batch the tensors of a pytree at a level, along these dimensions."""
    leaves, spec = flatten(values)
    flat_dims = broadcast_to_and_flatten(dims, spec)
    if flat_dims is None:
        raise AssertionError("flat_bdims must not be None")
    again = [
        each if dim is None or not isinstance(each, Tensor) else make_batched(each, dim, level)
        for each, dim in zip(leaves, flat_dims, strict=True)
    ]
    return unflatten(again, spec)


@contextmanager
def outside(level: int) -> Iterator[None]:
    """A context manager that suspends the vmap of a level and the vmaps inside it."""
    running = vmaps[level:]
    del vmaps[level:]
    try:
        with outside_derivatives(running[0].age, running[0].depth - 1):
            yield
    finally:
        vmaps[level:] = running


def apply_to_values(cls: Any, args: tuple[Any, ...], level: int, *, hidden: bool) -> Any:
    """Apply a Function to batched tensors with one call; see Note [Functions of whole batches].

    Args:
        hidden: whether setup_context sees that no gradient is needed, as outside of a derivative.
    """
    running = vmaps[level]
    value, in_dims = unwrapped(args, level)
    within = inside_derivative(level)
    with outside(level):
        *outputs, out_dims = _vmapped(
            cls, in_dims, running.size, running.randomness, hidden=hidden, within=within, level=level
        ).apply(*value)
    if isinstance(out_dims, tuple):
        return wrapped(tuple(outputs), out_dims, level)
    return wrapped(outputs[0], out_dims, level)


def restore_vmap(
    func: Callable[..., Any], in_dims: Any, batch_size: int, randomness: str
) -> Callable[..., tuple[Any, Any]]:
    """A function of values that runs ``func`` under vmap, and returns values and their batch dimensions."""

    def call(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        with vmapping(batch_size, randomness) as level:
            return unwrapped(func(*wrapped(args, in_dims, level), **kwargs), level)

    return call


class _Context:
    """The ``ctx`` that the original Function sees; attributes are those of the applied Function's ctx."""

    def __init__(self, inner: Any, **own: Any) -> None:
        vars(self).update(own, _inner=inner)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._inner, name, value)


class _Saving(_Context):
    """The ``ctx`` of setup_context: it saves the values of batched tensors, and their batch dimensions."""

    _level: int  # of the vmap that runs setup_context
    saved_dims: Any = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self._keep(self._inner.save_for_backward, tensors)

    def save_for_forward(self, *tensors: Any) -> None:
        self._keep(self._inner.save_for_forward, tensors)

    def _keep(self, save: Callable[..., None], tensors: tuple[Any, ...]) -> None:
        value, vars(self)["saved_dims"] = unwrapped(tensors, self._level)  # a vmap inside may be running
        save(*value)


def _vmapped(
    cls: Any, in_dims: tuple[Any, ...], size: int, randomness: str, *, hidden: bool, within: bool, level: int
) -> Any:
    """The Function that is applied to values; see Note [Functions of whole batches].

    Args:
        hidden: as in ``apply_to_values``.
        within: whether a derivative runs inside the vmap: there torch calls the original backward.
        level: of the vmap; batched tensors that setup_context sets as attributes of ctx have it.
    """
    kept: dict[str, Any] = {}

    def under(function: Callable[..., Any], *dims: Any) -> Callable[..., tuple[Any, Any]]:
        return restore_vmap(function, dims, size, randomness)

    def forward(*operands: Any) -> Any:
        outputs, out_dims = under(cls.forward, *in_dims)(*operands)
        return (outputs, out_dims) if isinstance(outputs, Tensor) else (*outputs, out_dims)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        *outputs, out_dims = output

        def inner(inputs: tuple[Any, ...], outputs: Any) -> None:
            seen = {"needs_input_grad": (False,) * len(inputs)} if hidden else {}
            context = _Saving(ctx, _level=len(vmaps) - 1, **seen)
            cls.setup_context(context, inputs, outputs)
            kept["shapes"] = [each.shape if isinstance(each, Tensor) else None for each in inputs]
            kept["saved"] = context.saved_dims

        single = not isinstance(out_dims, tuple)
        under(inner, in_dims, out_dims)(inputs, outputs[0] if single else tuple(outputs))
        kept["out"] = (out_dims,) if single else out_dims

    def transposed(rule: Callable[..., Any], ctx: Any, given: tuple[Any, ...], dims: tuple[Any, ...]) -> Any:
        """Run backward or jvp under vmap; gradients or tangents may be None."""

        def call(saved: tuple[Any, ...], given: tuple[Any, ...]) -> Any:
            return rule(_Context(ctx, saved_tensors=saved), *given)

        present = tuple(None if each is None else dim for each, dim in zip(given, dims, strict=False))
        with outside(level) if within and level < len(vmaps) else nullcontext():
            result, found_dims = under(call, kept["saved"], present)(ctx.saved_tensors, given)
        return (result, found_dims) if isinstance(result, tuple) else ((result,), (found_dims,))

    def backward(ctx: Any, *gradients: Any) -> Any:
        result, dims = transposed(cls.backward, ctx, gradients[:-1], kept["out"])
        shapes = kept["shapes"]
        if within and len(result) != len(in_dims):
            return result  # which is refused
        if within:  # a gradient that fits is left alone; a sum of scalars would be recorded
            shapes = [
                None if each is None or _is_as_large(each, dim, shape) else shape
                for each, dim, shape in zip(result, dims, shapes, strict=False)
            ]
        return _reduced(result, dims, in_dims, size, shapes)

    def jvp(ctx: Any, *tangents: Any) -> Any:
        result, dims = transposed(cls.jvp, ctx, tangents, in_dims)
        return *_reduced(result, dims, kept["out"], size, [None] * len(result)), None

    parts = {"forward": forward, "setup_context": setup_context, "backward": backward, "jvp": jvp}
    methods: dict[str, Any] = {name: staticmethod(part) for name, part in parts.items()}
    meta: Any = type(Function)
    name = cls.__name__ if within else f"Vmapped{cls.__name__}"
    return meta(name, (Function,), {**methods, "generate_vmap_rule": True})


def _is_as_large(gradient: Tensor, dim: int | None, shape: Any) -> bool:
    """Whether the samples of a gradient have this shape."""
    sides = list(gradient.shape)
    if dim is not None:
        del sides[dim]
    return sides == list(shape or ())


def _reduced(
    gradients: tuple[Any, ...], dims: tuple[Any, ...], wanted: tuple[Any, ...], size: int, shapes: list[Any]
) -> tuple[Any, ...]:
    """Gradients with the batch dimensions of their inputs; summed for unbatched inputs (torch: reductify)."""
    arguments = zip(gradients, dims, wanted, shapes, strict=False)
    return tuple(_reduced_one(each, dim, goal, size, shape) for each, dim, goal, shape in arguments)


def _reduced_one(gradient: Any, dim: int | None, wanted: int | None, size: int, shape: Any) -> Any:
    if gradient is None or (dim is None and wanted is None):
        return gradient
    if wanted is None:
        return gradient.sum(dim)
    if dim is None:
        gradient, dim = gradient.unsqueeze(wanted), wanted
        gradient = gradient.expand((*gradient.shape[:dim], size, *gradient.shape[dim + 1 :]))
    if shape is not None:
        return vmap(lambda each: each.sum_to_size(shape), dim, wanted)(gradient)
    return gradient if dim == wanted else gradient.movedim(dim, wanted)
