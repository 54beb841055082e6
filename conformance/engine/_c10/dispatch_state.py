"""Contexts in which operations skip what is above a kernel: autograd, or the dispatch modes (torch: LocalDispatchKeySet.h)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .interpreter_stack import transforms
from .modes import _set, state


@contextmanager
def below_autograd() -> Iterator[None]:
    """Inside, nothing is recorded and no tangents are computed; grad mode does not change (torch: AutoDispatchBelowAutograd)."""
    before = state.below_autograd, state.forward_grad
    state.below_autograd, state.forward_grad = True, False
    transforms.begin()  # so that operations pass through their stubs: see Note [Version bumps inside kernels]
    _set(state.grad_enabled, state.inference)
    try:
        yield
    finally:
        transforms.end()
        state.below_autograd, state.forward_grad = before
        _set(state.grad_enabled, state.inference)


class without_dispatch_modes:
    """Inside, no TorchDispatchMode is in force; ``as`` gets the modes outside, the outermost first."""

    def __enter__(self) -> tuple[Any, ...]:
        self.before, state.dispatch_modes = state.dispatch_modes, ()
        return self.before

    def __exit__(self, *error: object) -> None:
        state.dispatch_modes = self.before
