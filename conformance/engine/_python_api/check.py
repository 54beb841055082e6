"""torch._check and related functions: assertions on Python values (torch: __init__.py)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .._autograd.tensor import Tensor
from .._c10 import dtypes

Message = Callable[[], Any] | None

_FAILED = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an enhancement "
    "request to PyTorch.)"
)


def _check_with(error_type: type[Exception], cond: Any, message: Message) -> None:
    """Raise an error of this type unless the condition is true; ``message()`` is its message.

    Raises:
        TypeError: the condition is not a bool, or the message is not a function.
        AssertionError: the type is not a subclass of Exception.
    """
    if not issubclass(error_type, Exception) or issubclass(error_type, Warning):
        raise AssertionError(f"error_type must be a subclass of Exception but not Warning, got {error_type}")
    if isinstance(cond, Tensor):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that "
            "all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type(_FAILED)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond: Any, message: Message = None) -> None:
    """Raise a RuntimeError unless the condition is true."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Message = None) -> None:
    """Raise an IndexError unless the condition is true."""
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Message = None) -> None:
    """Raise a ValueError unless the condition is true."""
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Message = None) -> None:
    """Raise a TypeError unless the condition is true."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Message = None) -> None:
    """Raise a NotImplementedError unless the condition is true."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: Any, message: Message = None, *, max: Any = None) -> None:
    """Raise a RuntimeError unless the number is valid as a size; deprecated."""
    warnings.warn(
        "_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     Use _check(i >= 0) "
        "instead.",
        FutureWarning,
        stacklevel=2,
    )
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all(cond: Any, message: Message = None) -> None:
    """Raise a RuntimeError unless all elements of a bool tensor are true.

    Raises:
        TypeError: it is not a bool tensor.
    """
    _check_tensor_all_with(RuntimeError, cond, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise an error of this type unless all elements of a bool tensor are true."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not dtypes.bool_:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond._array.all()), message)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        *(
            _check,
            _check_with,
            _check_index,
            _check_value,
            _check_type,
            _check_not_implemented,
            _check_is_size,
        ),
        _check_tensor_all,
        _check_tensor_all_with,
    )
}
for _each in FUNCTIONS.values():
    _each.__module__ = "torch"
