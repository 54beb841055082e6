"""torch.autograd.grad_mode."""

from __future__ import annotations

from typing import Any

from ..modes import (
    ContextDecorator,
    check_bool,
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    state,
)
from ..tensor import Tensor
from ..view_replay import _force_original_view_tracking  # noqa: F401  torch has it here

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]


class set_multithreading_enabled(ContextDecorator):
    """Whether backward may use several threads; on the CPU it never does, here only the flag is kept."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        check_bool(mode, "set_multithreading_enabled")
        self.previous = state.multithreading
        self.mode = mode
        state.multithreading = mode

    def clone(self) -> set_multithreading_enabled:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        state.multithreading = self.previous


def is_multithreading_enabled() -> bool:
    """What set_multithreading_enabled was told."""
    return state.multithreading


class _unsafe_preserve_version_counter:
    """Inside, in-place changes of these tensors do not count."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, tensors: Any) -> None:
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
        self.versions = tuple(each._version for each in self.tensors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        for tensor, version in zip(self.tensors, self.versions, strict=True):
            if tensor._version_counter is not None:
                tensor._version_counter.value = version
