"""torch.xpu on a machine without such a device."""

from __future__ import annotations

from ._arguments.absent_names import look_up
from .cuda import device_count, empty_cache, is_available, manual_seed, manual_seed_all

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all"]
__getattr__ = look_up("torch.xpu")
