"""torch.special."""

from __future__ import annotations

from typing import Any

from .ops.special import SPECIAL

globals().update(SPECIAL)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'torch.special' has no attribute '{name}'")
