"""Custom Functions under the transforms of torch.func (torch: _functorch/autograd_function.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from .._autograd.batched_tensor import (
    BatchedTensor,
    for_each_sample,
    level_of,
    make_batched,
    unwrap_batched,
    vmaps,
)
from .._autograd.custom_function import Function
from .._autograd.node import new_node
from .._autograd.tensor import Tensor
from .._c10.interpreter_stack import outside_derivatives, transforms
from .._c10.pytree import broadcast_to_and_flatten, flatten, unflatten
from .._c10.shapes import strides
from .interpreter_nesting import running as interpreters
from .vmapped_function import apply_to_values, unwrapped

_MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """The ``info`` argument of a Function's vmap staticmethod: the batch size and the randomness mode."""

    batch_size: int
    randomness: str


VmapInfo.__module__ = "torch._functorch.autograd_function"


def _running() -> list[int]:
    """The levels of the functorch vmaps whose code is running now (outside a vmap's rule, its level does not count)."""
    return [level for level, each in enumerate(vmaps) if not each.old and each.depth <= transforms.depth]


def for_rule(kwargs: dict[str, Any]) -> dict[str, Any]:
    """The keyword-only arguments of forward, which under vmap its rule alone gets; other transforms refuse them."""
    running = _running()
    if running and vmaps[running[-1]].depth == transforms.depth:
        if any(isinstance(each, Tensor) for each in flatten(kwargs)[0]):
            raise NotImplementedError(
                "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass kwarg-only Tensors to "
                f"autograd.Function. Got: {kwargs}"
            )
        return kwargs
    if transforms.depth:
        name = next(iter(kwargs))
        raise TypeError(f"custom_function_call_grad() got an unexpected keyword argument '{name}'")
    return {}


def apply_transformed(
    cls: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    with_setup: bool,
    apply: Callable[[tuple[Any, ...]], Any],
) -> Any:
    """Apply a Function to tensors that may be batched; its own rule gets ``kwargs`` as well."""
    level = level_of(flatten(args)[0])
    if (
        not transforms.depth
    ):  # at most the legacy vmap (is_grads_batched) runs, which has no rules for Functions
        return apply(args)
    if not with_setup:
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            f"override the setup_context staticmethod. {_MORE}"
        )
    if any(each.functional for each in interpreters):
        raise RuntimeError("NYI: Functionalize rule for custom_function_call")
    running = _running()
    if not running:
        return apply(args)

    own = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule:
        if own:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
                "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
                f"ambiguity. {_MORE}"
            )
        inside = transforms.depth - vmaps[running[-1]].depth  # derivatives inside the vmap
        if inside and level < 0:
            return apply(args)
        if inside and transforms.since != transforms.backward and any(map(_is_expanded, args)):
            # In forward mode samples that share memory have a tangent each.
            return for_each_sample(
                lambda *given: apply_transformed(cls, given, kwargs, with_setup, apply), args, {}, level
            )
        output = apply_to_values(cls, args, running[-1], hidden=inside > 0)
        needed = tuple(isinstance(each, Tensor) and each.requires_grad for each in args)
        for _ in range(inside):
            _set_up(cls, needed, args, output)
        return output
    if not own:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement the "
            f"vmap staticmethod or set generate_vmap_rule=True. {_MORE}"
        )
    return apply(args) if level < 0 else through_rule(partial(cls.vmap, **kwargs), args, level)


def _is_expanded(value: Any) -> bool:
    """Whether the samples of a batched tensor share memory."""
    if value.__class__ is not BatchedTensor:
        return False
    whole, dim = unwrap_batched(value)
    return whole._array.shape[dim] > 1 and strides(whole._array)[dim] == 0


def set_up_outside(cls: Any, needed: tuple[bool, ...], inputs: tuple[Any, ...], output: Any) -> None:
    """Call setup_context once more for each running derivative of torch.func, with a ctx that is in no graph.

    In torch a Function is applied at each level, to what its tensors are outside of that level; forward runs only outside
    of all levels, but setup_context at each.
    """
    for level in range(transforms.depth - len(_running())):
        if level:
            _set_up(cls, needed, inputs, output)
        else:
            outside = tuple(each.detach() if isinstance(each, Tensor) else each for each in inputs)
            _set_up(cls, (False,) * len(inputs), outside, output)


def _set_up(cls: Any, needed: tuple[bool, ...], inputs: tuple[Any, ...], output: Any) -> None:
    """Call setup_context with a ctx that is in no graph."""
    ctx = new_node(cls._backward_cls)
    ctx.__init__()
    ctx._is_tensor = tuple(isinstance(each, Tensor) for each in inputs)
    ctx.needs_input_grad = needed
    cls.setup_context(ctx, inputs, output)


def through_rule(rule: Callable[..., Any], args: tuple[Any, ...], level: int) -> Any:
    """Call a Function's vmap staticmethod with the unwrapped arguments, and batch its outputs again."""
    running = vmaps[level]
    unbatched, in_dims = unwrapped(args, level)
    with outside_derivatives(running.age, running.depth - 1):  # the rule is called outside of its vmap
        output, out_dims = _two(rule(VmapInfo(running.size, running.randomness), in_dims, *unbatched))
    batches, values = flatten(args)[0], flatten(unbatched)[0]
    for batch, value in zip(batches, values, strict=True):
        if batch is not value and batch._value is None and value._version:  # changed in place
            for sample, changed in zip(batch._samples, value.unbind(0), strict=True):
                sample.copy_(changed)
    leaves, spec = flatten(output)
    dims = broadcast_to_and_flatten(out_dims, spec)
    if dims is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{flatten(out_dims)[1]} but output has structure {spec}. {_MORE}"
        )
    arguments = {id(each): own for each, own in zip(values, batches, strict=True) if isinstance(each, Tensor)}

    def again(value: Any, dim: int | None) -> Any:
        if id(value) in arguments:  # an input that is returned as it is stays the same batched tensor
            return arguments[id(value)]
        return value if dim is None or not isinstance(value, Tensor) else make_batched(value, dim, level)

    return unflatten([again(each, dim) for each, dim in zip(leaves, dims, strict=True)], spec)


def _two(returned: Any) -> tuple[Any, Any]:
    """Check that a Function's vmap returned a pair: the output, and its batch dimensions."""
    if isinstance(returned, tuple) and len(returned) == 2:
        return returned
    got = f"{len(returned)} returns" if isinstance(returned, tuple) else f"a {type(returned)}"
    raise RuntimeError(
        "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible "
        f"with the output. Got {got} instead"
    )
