"""torch.mps on a machine without such a device."""

from __future__ import annotations

from ._arguments.absent_names import look_up
from .cuda import device_count, is_available, manual_seed

__all__ = ["device_count", "is_available", "manual_seed"]
__getattr__ = look_up("torch.mps")
