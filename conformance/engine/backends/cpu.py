"""torch.backends.cpu: the capability of this processor, which selects torch's kernels."""

from __future__ import annotations

from .._arguments.absent_names import look_up
from .._c10.cpu_capability import get_cpu_capability

__all__ = ["get_cpu_capability"]
__getattr__ = look_up("torch.backends.cpu")
