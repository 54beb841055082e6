"""torch.utils: checkpoint, data and hooks."""

from .. import _C  # so that the name torch._C is there
from . import checkpoint, data, hooks

__all__ = ["_C", "checkpoint", "data", "hooks"]
