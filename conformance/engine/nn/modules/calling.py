"""Calling a module that has hooks (torch: nn/modules/module.py, _call_impl)."""

from __future__ import annotations

import warnings
from typing import Any

from .backward_hooks import BackwardHooks, register_old_hooks


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run the hooks before forward, forward, the hooks after it; backward hooks are put on the graph."""
    progress = _Progress(args, kwargs)
    try:
        return _call(module, progress)
    except Exception:
        _call_the_rest(module, progress)
        raise


class _Progress:
    """How far a call has come: what the hooks that are called in any case are to see."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
        self.result: Any = None
        self.called: set[int] = set()


def _call(module: Any, progress: _Progress) -> Any:
    _before(module, progress)
    full = [] if module._is_full_backward_hook is False else list(module._backward_hooks.values())
    old = list(module._backward_hooks.values()) if module._is_full_backward_hook is False else []
    backward = None
    if full or module._backward_pre_hooks:
        backward = BackwardHooks(module, full, list(module._backward_pre_hooks.values()))
        progress.args = backward.enter(progress.args)
    progress.result = module.forward(*progress.args, **progress.kwargs)
    for number, hook in list(module._forward_hooks.items()):
        if number in module._forward_hooks_always_called:
            progress.called.add(number)
        _after(module, progress, number, hook)
    if backward is not None:
        progress.result = backward.leave(progress.result)
    if old:
        register_old_hooks(module, old, progress.args, progress.result)
    return progress.result


def _before(module: Any, progress: _Progress) -> None:
    for number, hook in list(module._forward_pre_hooks.items()):
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


def _after(module: Any, progress: _Progress, number: int, hook: Any) -> None:
    if number in module._forward_hooks_with_kwargs:
        replaced = hook(module, progress.args, progress.kwargs, progress.result)
    else:
        replaced = hook(module, progress.args, progress.result)
    if replaced is not None:
        progress.result = replaced


def _call_the_rest(module: Any, progress: _Progress) -> None:
    """After an error: the hooks registered with ``always_call`` that have not run."""
    for number, hook in list(module._forward_hooks.items()):
        if number in module._forward_hooks_always_called and number not in progress.called:
            try:
                _after(module, progress, number, hook)
            except Exception as error:
                warnings.warn(
                    "module forward hook with ``always_call=True`` raised an exception that was silenced as "
                    "another error "
                    f"was raised in forward: {error!s}",
                    stacklevel=3,
                )
