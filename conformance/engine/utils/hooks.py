"""torch.utils.hooks."""

from __future__ import annotations

from typing import Any

from .._aten.copy_and_pickle import warn_if_has_hooks
from .._autograd.hooks import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: Any) -> Any:
    """Mark a hook that pickling may drop without a warning."""
    f.__torch_unserializable__ = True
    return f
