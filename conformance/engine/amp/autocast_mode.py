"""torch.autocast, and custom_fwd and custom_bwd for custom Functions; see Note [Autocast]."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np

from .._autograd.tensor import Tensor
from .._c10 import dtypes
from .._c10.modes import state
from .._dispatch.autocast import (
    autocast_decrement_nesting,
    autocast_increment_nesting,
    clear_autocast_cache,
    get_autocast_dtype,
    is_autocast_available,
    is_autocast_cache_enabled,
    is_autocast_enabled,
    is_eligible,
    set_autocast_cache_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]

Function = Callable[..., Any]
_NO_CUDA = "CUDA is not available or torch_xla is imported. Disabling autocast."
_NOT_SUPPORTED = (
    "In {0} autocast, but the target dtype is not supported. Disabling autocast.\n"
    "{0} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
)


def autocast_decorator(autocast_instance: autocast, func: Function) -> Function:
    """Decorate a function to run within this context."""

    @functools.wraps(func)
    def decorate_autocast(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorate_autocast


class autocast:
    """torch.autocast: a context or decorator in which autocast chooses the precision of operations.

    Args:
        device_type: "cpu"; for other types the settings change, but no operation does.
        dtype: the lower precision, by default that of ``get_autocast_dtype``.
        enabled: False turns autocast off, within another context.
        cache_enabled: whether the casts of parameters are cached.

    Raises:
        RuntimeError: the device does not support autocast.
        ValueError: the device type is not a string.
    """

    __module__ = "torch.amp.autocast_mode"

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        check_device_type(device_type)
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.custom_backend_name = "privateuseone"
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warnings.warn(_NO_CUDA, stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in (dtypes.bfloat16, dtypes.float16):
            warnings.warn(_NOT_SUPPORTED.format(device_type.upper()), stacklevel=2)
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> autocast:
        self.prev_cache_enabled = is_autocast_cache_enabled()
        self.prev = is_autocast_enabled(self.device)
        self.prev_fastdtype = get_autocast_dtype(self.device)
        set_autocast_enabled(self.device, self._enabled)
        set_autocast_dtype(self.device, self.fast_dtype)
        autocast_increment_nesting()
        set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> Literal[False]:
        if autocast_decrement_nesting() == 0:
            clear_autocast_cache()
        set_autocast_enabled(self.device, self.prev)
        set_autocast_dtype(self.device, self.prev_fastdtype)
        set_autocast_cache_enabled(self.prev_cache_enabled)
        return False

    def __call__(self, func: Function) -> Function:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. "
                "Did you mean to use autocast as a context manager? For example:\n"
                "    with torch.autocast(device_type=...):\n"
                "        output = model(input)"
            )
        return autocast_decorator(self, func)


# Custom Functions ---------------------------------------------------------------------------------


def _cast(value: Any, device_type: str, dtype: Any) -> Any:
    """Cast floating-point tensors except float64, also within containers."""
    if isinstance(value, Tensor):
        return value.to(dtype) if is_eligible(value) and value.device.type == device_type else value
    if isinstance(value, (str, bytes, np.ndarray)):
        return value
    if isinstance(value, Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, Iterable):
        found = (_cast(each, device_type, dtype) for each in value)
        return type(value)(found) if isinstance(value, (list, tuple)) else found
    return value


def operator_kernel(operator: Function, device_type: str, cast_inputs: Any) -> Function:
    """The autocast kernel of a custom operator: it casts tensors to this dtype and calls the operator."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise AssertionError(f"Custom ops do not support kwargs yet, got {[*kwargs]}")
        outer, state.autocast = state.autocast, state.autocast - {device_type}
        try:
            return operator(*_cast(args, device_type, cast_inputs))
        finally:
            state.autocast = outer

    return kernel


def check_available(device_type: str) -> None:
    """Raise an error if a device does not support autocast."""
    if not is_autocast_available(device_type):
        raise ValueError(f"Device type '{device_type}' does not support autocast.")


def custom_fwd(fwd: Function | None = None, *, device_type: str, cast_inputs: Any = None) -> Function:
    """torch.amp.custom_fwd: a forward that records whether autocast was on.

    Args:
        fwd: the forward of a custom Function; without it, returns a decorator.
        cast_inputs: the dtype to which tensors are cast if autocast is on; autocast is then off inside.

    Raises:
        ValueError: the device type is not a string.
    """
    check_device_type(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args: Any, **kwargs: Any) -> Any:
        context, enabled = args[0], is_autocast_enabled(device_type)
        context._dtype = get_autocast_dtype(device_type)
        context._fwd_used_autocast = enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd: Function | None = None, *, device_type: str) -> Function:
    """torch.amp.custom_bwd: a backward that runs with the autocast state of its custom_fwd forward.

    Raises:
        ValueError: the device type is not a string.
    """
    check_device_type(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type=device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd


def check_device_type(device_type: Any) -> None:
    """Raise an error unless the device type is a string."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
