"""Hooks of tensors and nodes: how they are registered and run (torch: autograd/python_hook.cpp, utils/hooks.py)."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .._c10 import errors, pickling
from .._c10.layout import Unstrided, contiguous_format, layout_of, type_name
from . import node as nodes
from .node import Gradients, NodeHooks
from .ownership import Owner
from .tensor import Tensor

Hooks = dict[int, Any]  # by the id of their handle
Reference = Callable[[], Hooks | None]


class RemovableHandle:
    """torch.utils.hooks.RemovableHandle; ``remove`` removes the hook, and may be called again."""

    id: int
    next_id = 0
    __module__ = "torch.utils.hooks"
    __reduce_ex__ = pickling.reduce

    extra_dict_ref: tuple[Reference, ...] = ()  # to dicts with further data of the hook

    def __init__(self, hooks_dict: Hooks, *, extra_dict: Hooks | list[Hooks] | None = None) -> None:
        self.hooks_dict_ref = _reference(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        if extra_dict is not None:
            extra = extra_dict if isinstance(extra_dict, list) else [extra_dict]
            self.extra_dict_ref = tuple(map(_reference, extra))

    def remove(self) -> None:
        """Remove the hook."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None and self.id in hooks:
                del hooks[self.id]

    def __getstate__(self) -> Any:
        return self.hooks_dict_ref(), self.id, tuple(each() for each in self.extra_dict_ref)

    def __setstate__(self, state: Any) -> None:
        hooks, self.id, *extra = state
        self.hooks_dict_ref = _reference(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(map(_reference, extra[0] or ())) if extra else ()
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        self.remove()


def add_hook(hooks: Hooks, hook: Any, extra: list[Hooks] | None = None) -> RemovableHandle:
    """Add a hook after the existing ones.

    Args:
        extra: dicts of hooks with some property, which get the id of the new hook as well.
    """
    handle = RemovableHandle(hooks, extra_dict=extra)
    hooks[handle.id] = hook
    for each in extra or ():
        each[handle.id] = True
    return handle


def _reference(hooks: Hooks) -> Reference:
    try:
        return weakref.ref(hooks)
    except TypeError:  # a plain dict takes no weak reference
        return lambda: hooks


def register_hook(self: Tensor, hook: Callable[..., Any]) -> Any:
    """torch.Tensor.register_hook: call ``hook(grad)`` when the gradient of this tensor is computed; it may return a new one.

    Raises:
        RuntimeError: for a tensor that does not require grad.
    """
    if not self.requires_grad:
        raise RuntimeError(errors.HOOK_WITHOUT_GRAD)
    if self._hooks is None:
        self._hooks = OrderedDict()  # first, since grad_fn may raise for a view
        node = self.grad_fn
        if node is not None:
            node._register_hook_dict(self)
    return add_hook(self._hooks, hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[..., Any]) -> Any:
    """torch.Tensor.register_post_accumulate_grad_hook: call ``hook(tensor)`` after a gradient was accumulated into its grad.

    Raises:
        RuntimeError: for a tensor that does not require grad, or a non-leaf.
    """
    if not self.requires_grad:
        raise RuntimeError(errors.HOOK_WITHOUT_GRAD)
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if self._post_accumulate_hooks is None:
        self._post_accumulate_hooks = OrderedDict()
        self._post_accumulate_owner = Owner(self._post_accumulate_hooks)
    return add_hook(self._post_accumulate_hooks, hook)


def hook_name(hook: Any) -> str:
    """The name of a hook in error messages."""
    result: str = getattr(hook, "__name__", "<unknown>")
    return result


def check_result(original: Tensor | None, result: Any, hook: Any) -> Tensor:
    """Check the result of a hook, which must have the type, dtype and shape of the original gradient.

    Raises:
        TypeError: not a tensor.
        RuntimeError: another dtype or shape, or there was no gradient to replace.
    """
    if original is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(result, Tensor):
        raise TypeError(errors.HOOK_RETURNED.format(type(result).__name__))
    if original._array.dtype is not result._array.dtype or (
        layout_of(original._array) is not layout_of(result._array)
    ):
        was, got = (type_name(each._array) for each in (original, result))
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the type of value (was {was} got {got})")
    if original._array.shape != result._array.shape:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")
    return result


def run_tensor_pre_hooks(hooks: NodeHooks, grads: Gradients) -> Gradients:
    """Run the hooks of the node's output tensors, then store the gradients of those with retain_grad."""
    for output_nr, registered in hooks.tensor_pre:
        for hook in list(registered.values()):
            gradient = grads[output_nr]
            result = hook(gradient)
            if result is not None and result is not gradient:
                checked = check_result(gradient, result, hook)
                grads = (*grads[:output_nr], checked, *grads[output_nr + 1 :])
    for output_nr, reference in hooks.retains_grad.items():
        tensor = reference()
        gradient = grads[output_nr]
        if tensor is not None and gradient is not None:
            run_retains_grad_hook(tensor, gradient)
    return grads


def run_retains_grad_hook(tensor: Tensor, gradient: Tensor) -> None:
    """Store a gradient in the grad of a non-leaf, or add it (torch: RetainsGradHook)."""
    tensor._grad = _clone_contiguous(gradient) if tensor._grad is None else tensor._grad + gradient


def _clone_contiguous(gradient: Tensor) -> Tensor:
    """A contiguous clone, or a clone of a sparse gradient."""
    if isinstance(gradient._array, Unstrided):
        return gradient.clone()
    return gradient.clone(memory_format=contiguous_format)


def run_pre_hooks(hooks: NodeHooks, grads: Gradients) -> Gradients:
    """Run the prehooks of the node on its incoming gradients."""
    for hook in list(hooks.pre.values()):
        # The hook gets a tuple of its own: one that it keeps would count as a reference to the gradients.
        grads = _check_results(grads, hook((*grads,)), hook)
    return grads


def run_post_hooks(hooks: NodeHooks, outputs: Gradients, inputs: Gradients) -> Gradients:
    """Run the post hooks of the node on its results."""
    assert hooks.post is not None
    for hook in list(hooks.post.values()):
        outputs = _check_results(outputs, hook(outputs, inputs), hook)
    return outputs


def _check_results(original: Gradients, result: Any, hook: Any) -> Gradients:
    if result is None:
        return original
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != len(original):
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has returned an incorrect number of values "
            f"(got {len(result)}, but expected {len(original)})"
        )
    if all(new is old for old, new in zip(original, result, strict=True)):
        return original  # only one tuple refers to the gradients: see Note [Stealing a gradient]
    return tuple(
        new if new is None else check_result(old, new, hook)
        for old, new in zip(original, result, strict=True)
    )


def attach() -> None:
    """Add the methods of Tensor."""
    Tensor.register_hook = register_hook  # type: ignore[attr-defined]
    Tensor.register_post_accumulate_grad_hook = register_post_accumulate_grad_hook  # type: ignore[attr-defined]


nodes.add_hook = add_hook
