"""torch.autograd.profiler: named sections of a program. Nothing is measured here."""

from __future__ import annotations

from ..absent import look_up
from ..profiler import record_function

__all__ = ["record_function"]
__getattr__ = look_up("torch.autograd.profiler")
