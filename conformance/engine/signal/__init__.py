"""torch.signal: windows (torch: signal/windows/windows.py)."""

from .._arguments.absent_names import look_up
from . import windows

__all__ = ["windows"]
__getattr__ = look_up("torch.signal")
