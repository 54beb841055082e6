"""torch.special."""

from __future__ import annotations

from .absent import look_up
from .keywords import all_renaming
from .ops import FUNCTIONS, bessel, polynomials
from .ops.special import SPECIAL
from .refusals import all_refusing

_ALL = SPECIAL | bessel.FUNCTIONS | polynomials.FUNCTIONS
globals().update(all_refusing(all_renaming(_ALL, "special_"), "special_"))
logsumexp = FUNCTIONS["logsumexp"]


__getattr__ = look_up("torch.special")
