"""torch.backends.opt_einsum."""

from __future__ import annotations

from .._arguments.absent_names import look_up
from ..cuda import is_available

enabled, strategy = False, None
__all__ = ["enabled", "is_available", "strategy"]
__getattr__ = look_up("torch.backends.opt_einsum")
