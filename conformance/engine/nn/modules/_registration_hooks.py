"""Global hooks on the registration of parameters, buffers and modules (torch: nn/modules/module.py)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..._autograd.hooks import RemovableHandle, add_hook

Hook = Callable[[Any, str, Any], Any]
PARAMETERS: OrderedDict[int, Hook] = OrderedDict()
BUFFERS: OrderedDict[int, Hook] = OrderedDict()
MODULES: OrderedDict[int, Hook] = OrderedDict()


class WithoutModule:
    """A hook that is called without its first argument, the module."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, module: Any, *args: Any) -> Any:
        return self.hook(*args)


def hooked(hooks: OrderedDict[int, Hook], module: Any, name: str, value: Any) -> Any:
    """The value to register, after the hooks."""
    for hook in hooks.values():
        found = hook(module, name, value)
        value = value if found is None else found
    return value


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Run ``hook(module, name, parameter)`` whenever a module registers a parameter; it may return another."""
    return add_hook(PARAMETERS, hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Run ``hook(module, name, buffer)`` whenever a module registers a buffer; it may return another."""
    return add_hook(BUFFERS, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Run ``hook(module, name, child)`` whenever a module registers a child; it may return another."""
    return add_hook(MODULES, hook)
