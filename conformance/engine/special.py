"""torch.special."""

from __future__ import annotations

from .absent import look_up
from .keywords import all_renaming
from .ops import FUNCTIONS
from .ops.special import SPECIAL
from .refusals import all_refusing

globals().update(all_renaming(all_refusing(SPECIAL, "special_"), "special_"))
logsumexp = FUNCTIONS["logsumexp"]


__getattr__ = look_up("torch.special")
