"""torch.utils._python_dispatch: TorchDispatchMode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._c10.dispatch_state import without_dispatch_modes
from .._c10.modes import state
from .._dispatch.torch_dispatch import TorchDispatchMode

__all__ = ["TorchDispatchMode"]


def _get_current_dispatch_mode() -> Any:
    """The innermost mode, or None."""
    return state.dispatch_modes[-1] if state.dispatch_modes else None


def _get_current_dispatch_mode_stack() -> list[Any]:
    """The active modes, outermost first."""
    return list(state.dispatch_modes)


@contextmanager
def _disable_current_modes() -> Iterator[tuple[Any, ...]]:
    """A context without modes; its value is the list of those outside, innermost first."""
    with without_dispatch_modes() as before:
        yield before[::-1]
