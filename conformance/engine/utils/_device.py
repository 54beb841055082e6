"""torch.utils._device: what ``with torch.device(...)`` does to functions that make tensors."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..device import device
from ..overrides import TorchFunctionMode

_MAKING = """
arange as_tensor asarray bartlett_window blackman_window empty empty_strided eye full hamming_window hann_window kaiser_window
linspace logspace rand randint randn randperm range scalar_tensor sparse_coo_tensor tensor tril_indices triu_indices zeros ones
"""


@cache
def _device_constructors() -> frozenset[Any]:
    """The functions that take a device and have nothing else to tell it."""
    from .. import __name__ as package
    from .. import fft

    torch = __import__(package, fromlist=["tensor"])
    return frozenset((*(getattr(torch, name) for name in _MAKING.split()), fft.fftfreq, fft.rfftfreq))


class DeviceContext(TorchFunctionMode):
    """Inside, functions that make tensors are told this device where they are told none."""

    __module__ = "torch.utils._device"

    def __init__(self, device_: Any) -> None:
        self.device = device(device_)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if kwargs.get("device") is None and func in _device_constructors():
            kwargs = {**kwargs, "device": self.device}
        return func(*args, **kwargs)
