"""The state of torch that an engine sets when it is made: its default device, its modes, its hooks of all modules.

Note [An engine's own state]: every scenario starts from the same state, and what one leaves is undone. If an engine
sets something in torch when it is made, though, as ``torch.set_default_device("meta")``, that belongs to the engine,
and every scenario starts from it: otherwise the first one would be the only one that runs on the engine's device. So
where an engine is found, its state is kept (`adopt`): settings that it has changed from torch's own take the place of
those that the suite starts from, and modes that it has entered are entered again for each scenario. In between torch is
as it was, so that no other engine of the process inherits them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

_GUARDS: list[Any] = []


def lookup(namespace: Any, path: str) -> Any:
    """The attribute at a dotted path, or None; the namespace itself for an empty path."""
    for name in path.split(".") if path else ():
        namespace = getattr(namespace, name, None)
    return namespace


@dataclass(frozen=True)
class Modes:
    """The modes that are in force, with what is needed to enter them again."""

    device: Any = None  # the default device, which is the outermost function mode
    functions: tuple[Any, ...] = ()
    dispatch: tuple[Any, ...] = ()
    saved_hooks: tuple[Any, ...] = ()  # pairs, the outermost first
    autocast: tuple[tuple[str, bool, Any], ...] = ()
    caches_casts: bool = True
    inference: bool = False
    level: int = -1  # of forward mode
    profiles: bool = False
    module_hooks: tuple[tuple[dict[int, Any], dict[int, Any]], ...] = ()  # each with its content


NONE = Modes()
_own_modes: dict[int, tuple[Any, Modes]] = {}
"""Id of an engine -> that engine, and the modes it entered when it was made."""


def modes_of(owner: Any) -> Modes:
    """The modes in which a scenario of an engine starts: see Note [An engine's own state]."""
    return _own_modes.get(id(owner), (None, NONE))[1]


def adopt_modes(torch: Any, owner: Any) -> None:
    """Keep the modes in force as those of the engine, and leave them."""
    _own_modes[id(owner)] = (owner, _current(torch))
    put_modes(torch, NONE)
    _put_hooks(torch, NONE)


def enter_modes(torch: Any, owner: Any) -> None:
    """Enter the engine's own modes."""
    if (own := modes_of(owner)) != NONE:
        put_modes(torch, own)
        _put_hooks(torch, own)


def leave_modes(torch: Any) -> None:
    """Leave modes whose `with` never ends because its generator is in a cycle through C++, and any other ones."""
    put_modes(torch, NONE)


def put_modes(torch: Any, own: Modes) -> None:
    """Enter these modes, and leave all others."""
    _leave_autocast(torch, own)
    _put_dispatch_modes(torch, own)
    _attempt(_leave_function_modes, torch, own)
    autograd = lookup(torch, "_C._autograd")
    if hasattr(autograd, "_top_saved_tensors_default_hooks"):
        _leave_saved_hooks(autograd, own)
    if (lookup(torch, "autograd._profiler_enabled") or bool)() and not own.profiles:
        torch.autograd._disable_profiler()
    forward = lookup(torch, "autograd.forward_ad")
    level = getattr(forward, "_current_level", -1)  # torch has no nested levels
    if level > own.level:
        forward.exit_dual_level()
    elif level < own.level:
        forward.enter_dual_level()
    if (lookup(torch, "is_inference_mode_enabled") or bool)() != own.inference:
        guard = torch.inference_mode(own.inference)
        guard.__enter__()
        _GUARDS.append(guard)  # destroying it would switch inference mode back


def forget_hooks(torch: Any) -> None:
    """Remove the hooks that run for every module and every optimizer, in the modules that are loaded."""
    _put_hooks(torch, NONE)


def _put_hooks(torch: Any, own: Modes) -> None:
    kept = {id(hooks): content for hooks, content in own.module_hooks}
    for hooks in _all_hooks(torch):
        if hooks or id(hooks) in kept:
            hooks.clear()
            hooks.update(kept.get(id(hooks), {}))


def _dispatch_modes(torch: Any) -> list[Any]:
    package = getattr(torch, "__name__", None)
    module = sys.modules.get(f"{package}.utils._python_dispatch")
    stack = getattr(module, "_get_current_dispatch_mode_stack", list)
    return [*stack()]


def _put_dispatch_modes(torch: Any, own: Modes) -> None:
    if tuple(modes := _dispatch_modes(torch)) == own.dispatch:
        return
    for mode in reversed(modes):
        mode.__exit__(None, None, None)
    for mode in own.dispatch:
        mode.__enter__()


def _current(torch: Any) -> Modes:
    autograd = lookup(torch, "_C._autograd")
    saved: list[Any] = []
    if hasattr(autograd, "_top_saved_tensors_default_hooks"):
        while (pair := autograd._top_saved_tensors_default_hooks(True)) is not None:
            saved.insert(0, pair)
            autograd._pop_saved_tensors_default_hooks()
        for pair in saved:
            autograd._push_saved_tensors_default_hooks(*pair)
    stack = lookup(torch, "overrides._get_current_function_mode_stack")
    functions = tuple(stack()) if stack is not None else ()
    device = lookup(torch, "_GLOBAL_DEVICE_CONTEXT.device_context")
    return Modes(
        device=None if device is None else device.device,
        functions=tuple(mode for mode in functions if mode is not device),
        dispatch=tuple(_dispatch_modes(torch)),
        saved_hooks=tuple(saved),
        autocast=tuple(_autocast(torch)),
        caches_casts=bool((lookup(torch, "is_autocast_cache_enabled") or (lambda: True))()),
        inference=bool((lookup(torch, "is_inference_mode_enabled") or bool)()),
        level=getattr(lookup(torch, "autograd.forward_ad"), "_current_level", -1),
        profiles=bool((lookup(torch, "autograd._profiler_enabled") or bool)()),
        module_hooks=tuple((hooks, dict(hooks)) for hooks in _all_hooks(torch) if hooks),
    )


def _autocast(torch: Any) -> list[tuple[str, bool, Any]]:
    enabled, dtype = (lookup(torch, name) for name in ("is_autocast_enabled", "get_autocast_dtype"))
    if enabled is None or dtype is None:
        return []
    return [(device, bool(enabled(device)), dtype(device)) for device in ("cpu", "cuda")]


def _leave_function_modes(torch: Any, own: Modes) -> None:
    stack = lookup(torch, "overrides._get_current_function_mode_stack")
    if stack is None:
        return
    context = lookup(torch, "_GLOBAL_DEVICE_CONTEXT.device_context")
    device = None if context is None else context.device
    if device == own.device and [mode for mode in stack() if mode is not context] == [*own.functions]:
        return
    torch.set_default_device(None)
    while stack():
        torch.device("cpu").__exit__(None, None, None)  # pops the innermost mode, whatever it is
    if own.device is not None:
        torch.set_default_device(own.device)
    for mode in own.functions:
        mode.__enter__()


def _leave_saved_hooks(autograd: Any, own: Modes) -> None:
    if not autograd._saved_tensors_hooks_is_enabled():
        autograd._saved_tensors_hooks_enable()
    top = autograd._top_saved_tensors_default_hooks(True)
    if top is None and not own.saved_hooks:
        return
    while autograd._top_saved_tensors_default_hooks(True) is not None:
        autograd._pop_saved_tensors_default_hooks()
    for pair in own.saved_hooks:
        autograd._push_saved_tensors_default_hooks(*pair)


def _leave_autocast(torch: Any, own: Modes) -> None:
    nest, leave = (lookup(torch, f"autocast_{which}crement_nesting") for which in ("in", "de"))
    if nest is None or leave is None:
        return
    depth = nest() - 1
    for _ in range(depth + 1):
        leave()
    default = (("cpu", False, torch.bfloat16), ("cuda", False, torch.float16))
    for device, enabled, dtype in own.autocast or default:
        if torch.is_autocast_enabled(device) != enabled:
            torch.set_autocast_enabled(device, enabled)
        if torch.get_autocast_dtype(device) != dtype:
            torch.set_autocast_dtype(device, dtype)
    if torch.is_autocast_cache_enabled() != own.caches_casts:
        torch.set_autocast_cache_enabled(own.caches_casts)
    torch.clear_autocast_cache()


def _all_hooks(torch: Any) -> list[dict[int, Any]]:
    package = getattr(torch, "__name__", None)
    modules = (sys.modules.get(f"{package}.{name}") for name in ("nn.modules.module", "optim.optimizer"))
    return [hooks for module in modules if module is not None for hooks in _hooks_of_all(module)]


@cache
def _hooks_of_all(module: ModuleType) -> list[dict[int, Any]]:
    return [
        each for name, each in vars(module).items() if name.startswith("_global_") and isinstance(each, dict)
    ]


def _attempt(action: Callable[..., Any], *args: Any) -> None:
    try:
        action(*args)
    except Exception:
        return
