"""torch.cuda of a machine without one."""

from __future__ import annotations


def is_available() -> bool:
    """torch.cuda.is_available."""
    return False


def device_count() -> int:
    """torch.cuda.device_count."""
    return 0
