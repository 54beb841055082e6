"""Warnings that torch gives once in the life of a program (torch: c10/util/Exception.h, TORCH_WARN_ONCE)."""

from __future__ import annotations

import warnings
from typing import Any

_said: set[str] = set()
_always = False


def warn_once(text: str, category: type[Warning] = UserWarning, *, stacklevel: int, place: str = "") -> None:
    """Warn, unless this was said before: the same text, or another one from the same place of torch."""
    known = place or text
    if _always or known not in _said:
        if not _always:
            _said.add(known)
        warnings.warn(text, category, stacklevel=stacklevel + 1)


def set_warn_always(b: Any) -> None:
    """torch.set_warn_always: give each warning every time."""
    global _always
    if b.__class__ is not bool:
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _always = b


def is_warn_always_enabled() -> Any:
    """torch.is_warn_always_enabled."""
    return _always
