"""torch.signal: windows (torch: signal/windows/windows.py)."""

from ..absent import look_up
from . import windows

__all__ = ["windows"]
__getattr__ = look_up("torch.signal")
