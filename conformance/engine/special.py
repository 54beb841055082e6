"""torch.special."""

from __future__ import annotations

from .absent import look_up
from .ops import FUNCTIONS
from .ops.special import SPECIAL

globals().update(SPECIAL)
logsumexp = FUNCTIONS["logsumexp"]


__getattr__ = look_up("torch.special")
