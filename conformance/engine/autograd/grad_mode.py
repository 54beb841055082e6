"""torch.autograd.grad_mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._aten.view_replay import _force_original_view_tracking  # noqa: F401  torch has it here
from .._autograd.tensor import Tensor
from .._c10.modes import (
    ContextDecorator,
    check_bool,
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    state,
)

__all__ = [
    "enable_grad", "enforce_grad_layout_policy", "inference_mode", "no_grad", "set_grad_enabled",
    "set_multithreading_enabled",
]  # fmt: skip


class _Flag(ContextDecorator):
    """The base of thread-local flags that are set on construction and restored at the end of a ``with`` block."""

    __module__ = "torch.autograd.grad_mode"
    attribute: str  # the attribute of the thread's state
    named: str  # the name of the argument in torch's errors

    def __init__(self, mode: bool) -> None:
        check_bool(mode, self.named)
        self.previous = getattr(state, self.attribute)
        self.mode = mode
        setattr(state, self.attribute, mode)

    def clone(self) -> _Flag:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        setattr(state, self.attribute, self.previous)


class set_multithreading_enabled(_Flag):
    """Whether backward may use several threads; it never does here, and the flag is only stored."""

    __module__ = "torch.autograd.grad_mode"
    attribute, named = "multithreading", "set_multithreading_enabled"


class enforce_grad_layout_policy(_Flag):
    """Whether a leaf's grad gets the leaf's strides; otherwise the first gradient keeps its own."""

    __module__ = "torch.autograd.grad_mode"
    attribute, named = "layout_enforced", "set_grad_layout_enforcement_enabled"

    def __init__(self, enable: bool = True) -> None:
        super().__init__(enable)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a function; the policy itself is restored until the function is called."""
        state.layout_enforced = self.previous
        return super().__call__(function)


def is_multithreading_enabled() -> bool:
    """The flag of set_multithreading_enabled."""
    return state.multithreading


class _unsafe_preserve_version_counter:
    """A context in which in-place changes of these tensors do not bump their version counters."""

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
