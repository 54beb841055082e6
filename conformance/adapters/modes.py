"""Torch in modes that must change nothing: each sets something in torch at the start of every scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from conformance.adapters.module import ZeroTensorEngine
from conformance.adapters.torch import engine as reference
from conformance.language.scenario import Scenario

_torch: Any = reference.torch


class ModeEngine(ZeroTensorEngine):
    """Torch inside a context, which is entered after the seed."""

    def __init__(self, name: str, context: Callable[[], AbstractContextManager[Any]]) -> None:
        super().__init__(f"torch-{name}", _torch, version=reference.version)
        self._context = context

    def state(self, _: Scenario) -> AbstractContextManager[Any]:
        """The mode."""
        return self._context()


class _SameDispatch(_torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
    """Calls every operator as it is."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class _SameFunction(_torch.overrides.TorchFunctionMode):  # type: ignore[misc]
    """Calls every function as it is."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@contextmanager
def _set(write: Callable[[Any], Any], value: Any, after: Any) -> Iterator[None]:
    write(value)
    try:
        yield
    finally:
        write(after)


dispatch_mode = ModeEngine("dispatch-mode", _SameDispatch)
function_mode = ModeEngine("function-mode", _SameFunction)
anomaly = ModeEngine("anomaly", lambda: _set(_torch.autograd.set_detect_anomaly, True, False))
deterministic = ModeEngine("deterministic", lambda: _set(_torch.use_deterministic_algorithms, True, False))
four_threads = ModeEngine("four-threads", lambda: _set(_torch.set_num_threads, 4, 1))
default_device = ModeEngine("default-device", lambda: _set(_torch.set_default_device, "cpu", None))
