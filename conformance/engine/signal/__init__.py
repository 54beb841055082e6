"""torch.signal: windows (torch: signal/windows/windows.py)."""

from . import windows

__all__ = ["windows"]
