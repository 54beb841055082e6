"""Warnings with the line of the user's code, and warnings that are issued once (torch: TORCH_WARN_ONCE, Exception.h)."""

from __future__ import annotations

import os.path
import sys
import warnings
from types import FrameType
from typing import Any

from .location import FOLDER, PACKAGE

_FOLDER = os.path.join(FOLDER, "")
_IN_PYTHON = tuple(os.path.join(_FOLDER, *path, "") for path in (("nn", "modules"), ("optim",), ("_optim",)))
_already_warned: set[str] = set()
_always = False


def warn_program(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called the engine: of user code, or of a module or optimizer, which are Python in torch as well."""
    frame = start = sys._getframe(1)
    level = 2
    while frame.f_back is not None and _is_kernel(frame, start.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _is_kernel(frame: FrameType, first: str) -> bool:
    """Whether the code of a frame is the engine's, and is C++ in torch."""
    of = frame.f_code.co_filename
    own = of.startswith((_FOLDER, "<row ")) or str(frame.f_globals.get("__name__", "")).startswith(PACKAGE)
    return own and (of == first or not of.startswith(_IN_PYTHON))


def warn_once(text: str, category: type[Warning] = UserWarning, *, place: str = "") -> None:
    """Warn, unless the same warning was issued before.

    Args:
        place: identifies a line of torch that warns once, with different messages.
    """
    known = place or text
    if _always or known not in _already_warned:
        if not _always:
            _already_warned.add(known)
        warn_program(text, category)


def set_warn_always(b: Any) -> None:
    """torch.set_warn_always: issue such warnings every time."""
    global _always
    if b.__class__ is not bool:
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _always = b


def is_warn_always_enabled() -> Any:
    """torch.is_warn_always_enabled."""
    return _always
