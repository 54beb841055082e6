"""torch.utils: checkpoint and hooks."""

from .. import _C  # so that the name torch._C is there
from . import checkpoint, hooks

__all__ = ["_C", "checkpoint", "hooks"]
