"""torch.backends.mkl."""

from __future__ import annotations

from .._arguments.absent_names import look_up
from ..cuda import is_available

__all__ = ["is_available"]
__getattr__ = look_up("torch.backends.mkl")
