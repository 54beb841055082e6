"""torch.backends.mkldnn."""

from __future__ import annotations

from .._arguments.absent_names import look_up
from ..cuda import is_available

enabled = True
__all__ = ["enabled", "is_available"]
__getattr__ = look_up("torch.backends.mkldnn")
