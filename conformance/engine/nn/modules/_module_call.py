"""Module.__call__ with hooks (torch: nn/modules/module.py, _call_impl)."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ClassVar

from ..._autograd.hooks import RemovableHandle, add_hook
from ._backward_hooks import BackwardHooks, register_non_full_hooks


class EveryModule:
    """The global hooks, which run for every module before its own."""

    before: ClassVar[dict[int, Any]] = OrderedDict()
    after: ClassVar[dict[int, Any]] = OrderedDict()
    after_with_kwargs: ClassVar[dict[int, bool]] = OrderedDict()
    after_always: ClassVar[dict[int, bool]] = OrderedDict()
    backward: ClassVar[dict[int, Any]] = OrderedDict()
    is_full_backward: ClassVar[bool | None] = (
        None  # whether global backward hooks are full, once one is registered
    )
    before_backward: ClassVar[dict[int, Any]] = OrderedDict()


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run forward pre-hooks, forward and forward hooks, and add backward hooks to the graph."""
    progress = _Progress(args, kwargs)
    try:
        return _call(module, progress)
    except Exception:
        _call_always_hooks(module, progress)
        raise


class _Progress:
    """The progress of a call: the arguments for ``always_call`` hooks after an error."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
        self.result: Any = None
        self.called: set[int] = set()


def _call(module: Any, progress: _Progress) -> Any:
    _before(module, progress)
    full, old = backward_hooks(module)
    before_backward = [*EveryModule.before_backward.values(), *module._backward_pre_hooks.values()]
    backward = None
    if full or before_backward:
        backward = BackwardHooks(module, full, before_backward)
        progress.args = backward.enter(progress.args)
    progress.result = module.forward(*progress.args, **progress.kwargs)
    for number, hook in list(EveryModule.after.items()):
        if number in EveryModule.after_always:
            progress.called.add(number)
        _after(module, progress, hook, number in EveryModule.after_with_kwargs)
    for number, hook in list(module._forward_hooks.items()):
        if number in module._forward_hooks_always_called:
            progress.called.add(number)
        _after(module, progress, hook, number in module._forward_hooks_with_kwargs)
    if backward is not None:
        progress.result = backward.leave(progress.result)
    if old:
        register_non_full_hooks(module, old, progress.args, progress.result)
    return progress.result


def backward_hooks(module: Any) -> tuple[list[Any], list[Any]]:
    """The global and the module's backward hooks: full and non-full ones."""
    full: list[Any] = []
    old: list[Any] = []
    (old if EveryModule.is_full_backward is False else full).extend(EveryModule.backward.values())
    (old if module._is_full_backward_hook is False else full).extend(module._backward_hooks.values())
    return full, old


def _before(module: Any, progress: _Progress) -> None:
    for number, hook in [*EveryModule.before.items(), *module._forward_pre_hooks.items()]:
        if number in module._forward_pre_hooks_with_kwargs:
            replaced = hook(module, progress.args, progress.kwargs)
            if replaced is None:
                continue
            if not (isinstance(replaced, tuple) and len(replaced) == 2):
                raise RuntimeError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                )
            progress.args, progress.kwargs = replaced
        else:
            replaced = hook(module, progress.args)
            if replaced is not None:
                progress.args = replaced if isinstance(replaced, tuple) else (replaced,)


def _after(module: Any, progress: _Progress, hook: Any, with_kwargs: bool) -> None:
    if with_kwargs:
        replaced = hook(module, progress.args, progress.kwargs, progress.result)
    else:
        replaced = hook(module, progress.args, progress.result)
    if replaced is not None:
        progress.result = replaced


def _call_always_hooks(module: Any, progress: _Progress) -> None:
    """Run the remaining hooks with ``always_call`` after an error."""
    for number, hook in list(EveryModule.after.items()):
        if number in EveryModule.after_always and number not in progress.called:
            _call_anyway(module, progress, hook, False, "global module")
    for number, hook in list(module._forward_hooks.items()):
        if number in module._forward_hooks_always_called and number not in progress.called:
            _call_anyway(module, progress, hook, number in module._forward_hooks_with_kwargs, "module")


def _call_anyway(module: Any, progress: _Progress, hook: Any, with_kwargs: bool, kind: str) -> None:
    try:
        _after(module, progress, hook, with_kwargs)
    except Exception as error:
        warnings.warn(
            f"{kind} forward hook with ``always_call=True`` raised an exception that was silenced as another error "
            f"was raised in forward: {error!s}",
            stacklevel=4,
        )


# Global hooks -------------------------------------------------------------------------------------


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Run ``hook(module, args)`` before the forward of every module."""
    return add_hook(EveryModule.before, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Run ``hook(module, args, result)`` after the forward of every module."""
    extra = (EveryModule.after_with_kwargs, EveryModule.after_always)
    chosen = [each for each, on in zip(extra, (with_kwargs, always_call), strict=True) if on]
    return add_hook(EveryModule.after, hook, chosen)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Run ``hook(module, grad_output)`` before the backward of every module."""
    return add_hook(EveryModule.before_backward, hook)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Run ``hook(module, grad_input, grad_output)`` at the node of every module's output (not a full hook)."""
    _set_kind(False)
    return add_hook(EveryModule.backward, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Run ``hook(module, grad_input, grad_output)`` after the backward of every module."""
    _set_kind(True)
    return add_hook(EveryModule.backward, hook)


def _set_kind(full: bool) -> None:
    if EveryModule.is_full_backward is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only "
            "one of them."
        )
    EveryModule.is_full_backward = full
