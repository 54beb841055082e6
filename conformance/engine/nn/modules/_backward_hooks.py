"""Backward hooks of modules (torch: utils/hooks.py, BackwardHook)."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from ..._autograd.custom_function import Function
from ..._autograd.tensor import Tensor
from ..._c10.modes import state
from ..._c10.warn_once import warn_program


class BackwardHookFunction(Function):
    """The identity, whose node receives the gradients of all its tensors together."""

    __module__ = "torch.nn.modules._functions"

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class BackwardHooks:
    """The full backward hooks of one call of a module.

    An identity function is applied before and one after forward, and the hooks run at their nodes. The node before
    forward gets the gradients of the outputs from the node after it.
    """

    def __init__(
        self, module: Any, hooks: list[Callable[..., Any]], pre_hooks: list[Callable[..., Any]]
    ) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: Any = None
        self.input_places: list[int] | None = None
        self.output_places: list[int] = []
        self.input_count = 0
        self.output_count = 0

    def enter(self, args: Any) -> Any:
        """Apply the identity before forward."""
        found, self.input_places, node = _identity(args)
        self.input_count = len(args)
        if node is not None:
            node.register_hook(self._on_inputs)
        return found

    def leave(self, result: Any) -> Any:
        """Apply the identity after forward."""
        if not isinstance(result, (Tensor, tuple)):
            warn_program(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
            )
        values = result if isinstance(result, tuple) else (result,)
        found, places, node = _identity(values)
        self.output_count, self.output_places = len(values), places or []
        if node is not None:
            node.register_hook(self._on_outputs)
        return found if isinstance(result, tuple) else found[0]

    def _on_outputs(self, _: Any, grads: Any) -> Any:
        full: Any = _placed(self.output_places, grads, self.output_count)
        for hook in self.pre_hooks:
            replaced = hook(self.module, full)
            if replaced is None:
                continue
            if len(replaced) != self.output_count:
                raise RuntimeError(
                    f"Backward pre hook returned an invalid number of grad_output, got {len(replaced)}, but expected "
                    f"{self.output_count}"
                )
            full = replaced
        if self.input_places is not None:
            self.grad_outputs = full
        else:
            self._without_inputs(full)
        return tuple(full[place] for place in self.output_places)

    def _without_inputs(self, grad_outputs: Any) -> None:
        """If no input requires grad, run the hooks at the outputs."""
        warn_program(
            "Full backward hook is firing when gradients are computed with respect to module outputs since "
            "no inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook "
            "for more details.",
        )
        for hook in self.hooks:
            result = hook(self.module, (None,) * self.input_count, grad_outputs)
            if result is not None and not (
                isinstance(result, tuple) and all(each is None for each in result)
            ):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None "
                    "or None for all gradients."
                )

    def _on_inputs(self, grads: Any, _: Any) -> Any:
        if self.grad_outputs is None or self.input_places is None:
            return None  # a gradient that did not come through the outputs
        full: Any = _placed(self.input_places, grads, self.input_count)
        for hook in self.hooks:
            replaced = hook(self.module, full, self.grad_outputs)
            if replaced is None:
                continue
            if len(replaced) != len(full):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(replaced)}, but expected {len(full)}"
                )
            full = replaced
        self.grad_outputs = None
        return tuple(full[place] for place in self.input_places)

    _on_outputs.__name__ = _on_inputs.__name__ = "hook"  # the name in error messages


def _placed(places: list[int], values: Any, count: int) -> tuple[Any, ...]:
    found = [None] * count
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return tuple(found)


def _identity(values: Any) -> tuple[Any, list[int] | None, Any]:
    places = [i for i, each in enumerate(values) if isinstance(each, Tensor)]
    if not state.recording or not any(values[i].requires_grad for i in places):
        return values, None, None
    passed = BackwardHookFunction.apply(*(values[i] for i in places))
    node = next(each.grad_fn for each in passed if each.grad_fn is not None)
    replaced = list(values)
    for place, each in zip(places, passed, strict=True):
        replaced[place] = each
    return tuple(replaced), places, node


# Non-full backward hooks (register_backward_hook) -------------------------------------------------

_MISSING = (
    "deprecated and will be removed in future versions. This hook will be missing some {}. Please use "
    "register_full_backward_hook to get the documented behavior."
)


def register_non_full_hooks(module: Any, hooks: list[Callable[..., Any]], args: Any, result: Any) -> None:
    """Register non-full hooks on the result's node; warns if the module has more than that node."""
    first = result
    while not isinstance(first, Tensor):
        first = (
            next(v for v in first.values() if isinstance(v, Tensor)) if isinstance(first, dict) else first[0]
        )
    node = first.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(_of_module(hook, weakref.ref(module)))
    text = _why_incomplete(args, result, node)
    if text:
        warn_program(text, FutureWarning)


def _of_module(hook: Callable[..., Any], module: weakref.ref[Any]) -> Callable[..., Any]:
    """A hook with a weak reference to its module, so that the graph does not keep the module alive."""

    def called(grad_input: Any, grad_output: Any) -> Any:
        if module() is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return hook(module(), grad_input, grad_output)

    return called


def _why_incomplete(args: Any, result: Any, node: Any) -> str | None:
    results = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(each, Tensor) for each in results):
        return (
            "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors is "
            + _MISSING.format("of the grad_output")
        )
    if not all(isinstance(each, Tensor) for each in args):
        return (
            "Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of "
            "Tensors is " + _MISSING.format("of the grad_input")
        )
    nodes = {each.grad_fn for each in results if each.grad_fn is not None}
    if len(nodes) > 1:
        return (
            "Using a non-full backward hook when outputs are generated by different autograd Nodes is "
            + _MISSING.format("grad_output")
        )
    if {each.grad_fn for each in args if each.grad_fn is not None} != {
        edge[0] for edge in node.next_functions
    }:
        return (
            "Using a non-full backward hook when the forward contains multiple autograd Nodes is "
            + _MISSING.format("grad_input")
        )
    return None
