"""torch.special."""

from __future__ import annotations

from .absent import look_up
from .keywords import all_renaming
from .ops import FUNCTIONS, bessel, polynomials
from .ops.special import SPECIAL
from .own_names import all_named
from .refusals import all_refusing

_ALL = SPECIAL | bessel.FUNCTIONS | polynomials.FUNCTIONS
_FOUND = all_refusing(all_renaming(_ALL, "special_"), "special_") | {"logsumexp": FUNCTIONS["logsumexp"]}
globals().update(_FOUND | all_named(_FOUND, "special_", FUNCTIONS.values()))

__getattr__ = look_up("torch.special")
