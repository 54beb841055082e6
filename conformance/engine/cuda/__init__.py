"""torch.cuda of a machine without one."""

from __future__ import annotations

from ..absent import look_up
from . import amp


def is_available() -> bool:
    """torch.cuda.is_available."""
    return False


def device_count() -> int:
    """torch.cuda.device_count."""
    return 0


__getattr__ = look_up("torch.cuda")
