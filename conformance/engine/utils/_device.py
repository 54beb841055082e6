"""The default device of factory functions (torch: utils/_device.py)."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from .._autograd.torch_function import TorchFunctionMode
from .._c10.device import device
from .._c10.location import PACKAGE
from .._c10.modes import state

_CONSTRUCTORS = (
    "empty empty_permuted empty_strided ones arange eye full hamming_window hann_window "
    "linspace logspace rand randn randint randperm sparse_coo_tensor tril_indices triu_indices zeros "
    "asarray tensor as_tensor scalar_tensor"
)


@cache
def _device_constructors() -> frozenset[Any]:
    torch: Any = sys.modules[PACKAGE]
    named = {getattr(torch, name) for name in _CONSTRUCTORS.split()}
    return frozenset({*named, torch.fft.fftfreq, torch.fft.rfftfreq})


class DeviceContext(TorchFunctionMode):
    """A TorchFunctionMode that passes its device to factory functions that are called without one.

    ``with device:`` pushes it like any other mode. Entered directly, as by set_default_device, it goes below all other
    modes and replaces another DeviceContext there.
    """

    __module__ = "torch.utils._device"

    def __init__(self, given: Any) -> None:
        self.device = device(given)
        self.replaced: tuple[DeviceContext, ...] = ()

    def __enter__(self) -> DeviceContext:
        super().__enter__()
        modes = state.function_modes[:-1]
        contexts = tuple(each for each in modes if isinstance(each, DeviceContext))
        self.replaced = contexts[-1:] or self.replaced
        state.function_modes = (self, *(each for each in modes if each not in contexts))
        return self

    def __exit__(self, *error: object) -> None:
        first, *others = state.function_modes or (self,)
        if any(isinstance(each, DeviceContext) for each in others):
            raise AssertionError("Found nested DeviceContext on the mode stack where none expected")
        if not isinstance(first, DeviceContext):
            raise AssertionError("Expected a DeviceContext at the bottom of the mode stack")
        state.function_modes = (*self.replaced, *others)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if kwargs.get("device") is None and func in _device_constructors():
            kwargs["device"] = self.device
        return func(*args, **kwargs)


def get_default_device() -> device:
    """torch.get_default_device: the device of the innermost context, else the one that was set."""
    contexts = [each for each in state.function_modes if isinstance(each, DeviceContext)]
    context = contexts[-1] if contexts else state.default_device
    if context is None:
        return device("cpu")
    if context.device.index is not None:
        return context.device
    found: device = sys.modules[PACKAGE].tensor([]).device  # calls the active modes, as in torch
    return found


def set_default_device(device: Any) -> None:
    """torch.set_default_device; None resets it.

    Raises:
        RuntimeError: there is no such device.
    """
    if state.default_device is not None:
        state.default_device.__exit__(None, None, None)
    context = None if device is None else DeviceContext(device)
    if context is not None:
        context.__enter__()
    state.default_device = context


def _enter_device(given: device) -> None:
    """Enter the context of ``with device``."""
    TorchFunctionMode.__enter__(DeviceContext(given))
