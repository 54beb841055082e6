"""torch.backends.cpu: which of its kernels torch would run on this processor."""

from __future__ import annotations

from ..absent import look_up
from ..processor import get_cpu_capability

__all__ = ["get_cpu_capability"]
__getattr__ = look_up("torch.backends.cpu")
