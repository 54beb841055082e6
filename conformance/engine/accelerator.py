"""torch.accelerator on a machine without an accelerator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ._arguments.absent_names import look_up


def is_available() -> bool:
    """torch.accelerator.is_available."""
    return False


def device_count() -> int:
    """torch.accelerator.device_count."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """torch.accelerator.current_accelerator: None."""


def _needing(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("Cannot access accelerator device when none is available.")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"torch.accelerator.{name}: refused, as torch does where there is none."
    return refuse


_NEED_ONE = "current_device_index empty_cache memory_allocated set_device_index synchronize"
globals().update({name: _needing(name) for name in _NEED_ONE.split()})
__getattr__ = look_up("torch.accelerator")
