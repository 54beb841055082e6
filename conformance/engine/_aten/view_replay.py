"""View replay: views whose base was written are created again by the operations that created them.

Note [Replayed views]: normally no view records its operation, since AsStrided recreates any view. Inside
``_force_original_view_tracking(True)`` each view does. That is rare, so operators do not check for it: the first such
block replaces the function that ties a view to its base by one that also looks at the operator's arguments.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from .._autograd.tensor import Tensor
from .._autograd.views import ReplayableView, as_view, view_fn_of
from .._c10.modes import ContextDecorator, check_bool, state
from .codegen.compile import SHARED
from .registry import ROWS


def _tie(view: Tensor, source: Tensor, creation: str | None = None) -> None:
    """as_view; in a block, with what the calling row was given."""
    as_view(view, source, creation)
    view_info = view._view
    if not state.view_replay or view_info is None:
        return
    caller = sys._getframe(1)
    row, local = caller.f_globals["row"], caller.f_locals
    further = [local[name] for name in row.parameters][1:]
    kept = ReplayableView(view_info.base, view_info.creation, view_info.attr_version)
    before = view_fn_of(source)
    if creation == "multi_output":
        number = len(local["results"])  # of those before it
        kept.view_fn = lambda base: row.call(before(base), *further)[number]
    else:
        kept.view_fn = lambda base: row.call(before(base), *further)
    view._view = kept


@functools.cache
def _begin() -> None:
    SHARED["as_view"] = _tie
    for row in ROWS.values():
        row.scope["as_view"] = _tie


class _force_original_view_tracking(ContextDecorator):
    """torch.autograd._force_original_view_tracking: takes effect when called; as a context it restores."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        check_bool(mode, "set_view_replay_enabled")
        _begin()
        self.previous, state.view_replay = state.view_replay, mode
        self.mode = mode

    def clone(self) -> _force_original_view_tracking:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        state.view_replay = self.previous


def is_view_replay_enabled() -> bool:
    """Whether views are replayed."""
    return state.view_replay


def _view_func_unsafe(self: Tensor, new_base: Tensor, *visitors: Any) -> Tensor | None:
    """The same view of another base; None if it is not a view."""
    return view_fn_of(self)(new_base) if self._is_view() else None


def _view_func(self: Tensor, new_base: Tensor, *visitors: Any) -> Tensor | None:
    """The same view of another base, if that lies in memory as this view's own base does; else None."""
    base = self._base
    if base is None or _laid_out(base) != _laid_out(new_base):
        return None
    return _view_func_unsafe(self, new_base)


def _laid_out(base: Tensor) -> tuple[Any, ...]:
    return base.shape, base.stride(), base.storage_offset(), base.untyped_storage().nbytes() // base.itemsize


Tensor._view_func, Tensor._view_func_unsafe = _view_func, _view_func_unsafe  # type: ignore[attr-defined]
