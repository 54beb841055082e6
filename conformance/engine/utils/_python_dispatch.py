"""torch.utils._python_dispatch: modes that see every operation below autograd."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..dispatch import TorchDispatchMode
from ..modes import state, unseen

__all__ = ["TorchDispatchMode"]


def _get_current_dispatch_mode() -> Any:
    """The innermost mode, None where there is none."""
    return state.dispatch_modes[-1] if state.dispatch_modes else None


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The modes in force, the outermost first."""
    return list(state.dispatch_modes)


@contextmanager
def _disable_current_modes() -> Iterator[tuple[Any, ...]]:
    """Inside, no mode sees anything; gives those outside, the innermost first."""
    with unseen() as before:
        yield before[::-1]
