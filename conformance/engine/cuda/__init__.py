"""torch.cuda on a machine without a GPU: no devices, errors for functions that need one, and no effect of seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .._arguments.absent_names import look_up
from . import amp

_ABSENT = "Torch not compiled with CUDA enabled"


def is_available() -> bool:
    """torch.cuda.is_available."""
    return False


is_initialized = is_bf16_supported = is_available


def device_count() -> int:
    """torch.cuda.device_count."""
    return 0


def manual_seed(seed: int) -> None:
    """torch.cuda.manual_seed: there is no generator to seed."""
    int(seed)


manual_seed_all = manual_seed


def seed() -> None:
    """torch.cuda.seed."""


seed_all = empty_cache = seed


def memory_allocated(device: Any = None) -> int:
    """torch.cuda.memory_allocated: no bytes."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def get_rng_state_all() -> list[Any]:
    """torch.cuda.get_rng_state_all: an empty list."""
    return []


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """torch.cuda.set_rng_state: deferred until CUDA is initialized, which never happens."""
    new_state.clone()


def set_rng_state_all(new_states: Any) -> None:
    """torch.cuda.set_rng_state_all: deferred like set_rng_state."""
    for each in new_states:
        set_rng_state(each)


def _needing(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise AssertionError(_ABSENT)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"torch.cuda.{name}: refused, as torch without CUDA does."
    return refuse


_NEED_ONE = """
current_device current_stream default_stream get_device_capability get_device_name get_device_properties get_rng_state
init initial_seed mem_get_info synchronize
"""
globals().update({name: _needing(name) for name in _NEED_ONE.split()})
__getattr__ = look_up("torch.cuda")
