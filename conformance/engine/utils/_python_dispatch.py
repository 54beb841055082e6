"""torch.utils._python_dispatch: TorchDispatchMode, and helpers of wrapper subclasses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._autograd.tensor import Tensor
from .._c10.modes import state, without_dispatch_modes
from .._dispatch.torch_dispatch import TorchDispatchMode

__all__ = [
    "BaseTorchDispatchMode",
    "TorchDispatchMode",
    "is_in_torch_dispatch_mode",
    "is_traceable_wrapper_subclass",
    "is_traceable_wrapper_subclass_type",
    "return_and_correct_aliasing",
    "transform_subclass",
]

# In-place operations that change a tensor's shape, strides or offset, not its data.
_INPLACE_VIEWS = frozenset(
    [
        "as_strided_",
        "detach_",
        "resize_",
        "squeeze_",
        "swapaxes_",
        "swapdims_",
        "t_",
        "transpose_",
        "unsqueeze_",
    ]
)


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that calls every operation unchanged."""

    __module__ = "torch.utils._python_dispatch"

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode is active."""
    return bool(state.dispatch_modes)


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether the value is a tensor of a traceable wrapper subclass, which defines ``__tensor_flatten__``."""
    return isinstance(t, Tensor) and is_traceable_wrapper_subclass_type(type(t))


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether the class is a traceable wrapper subclass of Tensor."""
    own = issubclass(t, Tensor) and t is not Tensor
    return own and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def transform_subclass(t: Any, callback: Any, outer_size: Any = None, outer_stride: Any = None) -> Any:
    """Apply ``callback(name, tensor)`` to each inner tensor, and return a tensor of the same subclass with the results.

    Raises:
        AssertionError: the result has another shape or other strides.
    """
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    held = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(held, context, size, stride)
    for what, wanted, found in (("shape", size, made.shape), ("stride", stride, made.stride())):
        if found != wanted:
            raise AssertionError(
                f"Expected return value from {type(t)}__tensor_unflatten__() to have {what} equal to {wanted}, but got: "
                f"{found}"
            )
    return made


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """Fix the outputs of a wrapper subclass's ``__torch_dispatch__``: mutated arguments are returned themselves.

    Raises:
        AssertionError: the arguments are not a tuple.
    """
    if not isinstance(args, tuple):
        raise AssertionError(f"args must be a tuple, got {type(args)}")
    if func._opname in _INPLACE_VIEWS:
        with without_dispatch_modes():
            func(*args, **kwargs)
    if func._opname.endswith("_") and not func._opname.endswith("__"):
        return args[0]
    if func._overloadname == "out":
        return kwargs["out"]
    return out


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
