"""torch.backends.cpu: which of its kernels torch would run on this processor."""

from __future__ import annotations

from .._arguments.absent_names import look_up
from .._c10.cpu_capability import get_cpu_capability

__all__ = ["get_cpu_capability"]
__getattr__ = look_up("torch.backends.cpu")
