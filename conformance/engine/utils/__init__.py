"""torch.utils: checkpoint and hooks."""

from . import checkpoint, hooks

__all__ = ["checkpoint", "hooks"]
