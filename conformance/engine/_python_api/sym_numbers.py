"""torch.sym_int and related functions, for plain numbers: the engine has no symbolic ones (torch: __init__.py)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

_NUMBERS = (np.integer, np.floating, int, float)


def sym_int(a: Any) -> int:
    """The number truncated to an int."""
    return int(a)


def sym_float(a: Any) -> float:
    """The number as a float."""
    return float(a)


def sym_not(a: Any) -> bool:
    """The negated condition."""
    return not a


def sym_sqrt(a: Any) -> float:
    """The square root."""
    return math.sqrt(a)


def _promoted(function: Any, a: Any, b: Any) -> Any:
    """The result of ``max`` or ``min``, as a float if either number is one."""
    for each in (a, b):
        if not isinstance(each, _NUMBERS):
            raise AssertionError(f"expected {_NUMBERS}, got {type(each)}")
    return (
        float(function(a, b))
        if isinstance(a, (float, np.floating)) or isinstance(b, (float, np.floating))
        else function(a, b)
    )


def sym_max(a: Any, b: Any) -> Any:
    """The greater of two numbers, as a float if either is one."""
    return _promoted(max, a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two numbers, as a float if either is one."""
    return _promoted(min, a, b)


def sym_sum(args: Iterable[Any] | Any) -> Any:
    """The sum of the numbers; an argument that is not a list or tuple is returned as is."""
    return sum(args) if isinstance(args, (list, tuple)) else args


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """The first value if the condition is true, else the second; both have the same type.

    Raises:
        AssertionError: the condition is not a bool, or the types differ.
    """
    if not isinstance(b, bool):
        raise AssertionError(f"expected SymBool or bool, got {type(b)}")
    if type(t) is not type(f):
        raise AssertionError(f"type mismatch: {type(t)} vs {type(f)}")
    return t if b else f


FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (sym_int, sym_float, sym_not, sym_sqrt, sym_max, sym_min, sym_sum, sym_ite)
}
for _each in FUNCTIONS.values():
    _each.__module__ = "torch"
