"""torch.special."""

from __future__ import annotations

from typing import Any

from .ops import FUNCTIONS
from .ops.special import SPECIAL

globals().update(SPECIAL)
logsumexp = FUNCTIONS["logsumexp"]


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'torch.special' has no attribute '{name}'")
