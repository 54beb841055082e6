"""torch.autograd: backward, grad, Function and the grad modes."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from .._arguments.absent_names import look_up
from .._arguments.torch_api import public_names
from .._aten.view_replay import _force_original_view_tracking, is_view_replay_enabled
from .._autograd.backward import backward, grad
from .._autograd.saved_variable import SavedTensor
from .._autograd.tensor import Tensor
from .._c10.modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
    state,
)
from .variable import Variable


def variable(*args: Any, **kwargs: Any) -> None:
    """torch.autograd.variable: removed from torch, an error."""
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")


def _is_checkpoint_valid() -> bool:
    return state.checkpoint_valid


def _calculate_shape(output: Any, grad: Tensor, is_grads_batched: bool) -> tuple[Any, Any]:
    """The shapes of an output and of its gradient, for the check that they match."""
    return output.shape, grad.shape[1:] if is_grads_batched else grad.shape


__all__ = [
    "Function",
    "SavedTensor",
    "Variable",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]


_look_up = look_up("torch.autograd")


def _checks(name: str) -> Any:
    """The ``__getattr__`` of the module torch.autograd.gradcheck, which the function of that name hides as an attribute."""
    for part in ("gradcheck", "criteria", "jacobians"):
        found = vars(import_module(f"{__name__}._gradcheck.{part}"))
        if name in found and not name.startswith("_"):
            return found[name]
    raise AttributeError(f"module 'torch.autograd.gradcheck' has no attribute '{name}'")


_gradcheck = sys.modules[f"{__name__}.gradcheck"] = ModuleType(f"{__name__}.gradcheck")
_gradcheck.__getattr__ = _checks  # type: ignore[method-assign]


_LATER = (
    "anomaly_mode",
    "forward_ad",
    "function",
    "functional",
    "grad_mode",
    "graph",
)  # submodules imported on first use
_ELSEWHERE = {
    "Function": "function",
    "_unsafe_preserve_version_counter": "grad_mode",
    "enforce_grad_layout_policy": "grad_mode",
    "is_multithreading_enabled": "grad_mode",
    "set_multithreading_enabled": "grad_mode",
}  # the modules that these names are imported from


def __dir__() -> list[str]:
    """torch's public names, and what begins with an underscore, but not what this file imports for itself."""
    public = public_names("torch.autograd")
    found = {*globals(), *_LATER, *_ELSEWHERE, *__all__}
    return [name for name in found if name.startswith("_") or name in public]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return import_module(f"{__name__}.{name}")
    if name in _ELSEWHERE:
        return getattr(import_module(f"{__name__}.{_ELSEWHERE[name]}"), name)
    if name in ("gradcheck", "gradgradcheck"):
        return getattr(import_module(f"{__name__}._gradcheck.gradcheck"), name)
    return _look_up(name)
