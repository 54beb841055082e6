"""numpy's names of arguments, which torch's own functions take, too (torch: utils/python_arg_parser.cpp)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

Function = Callable[..., Any]
NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims"}  # by torch's
_WRITTEN_IN_PYTHON = ("norm", "split", "unique", "unique_consecutive")  # whose arguments torch does not parse


def numpy_names(parameters: Iterable[str]) -> dict[str, str]:
    """numpy's names for those of a function's parameters that it does not know by them; torch's by numpy's."""
    known = [*parameters]
    return {theirs: own for own, theirs in NUMPY_NAMES.items() if own in known and theirs not in known}


def renamed(kwargs: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Arguments under torch's names; what is given under both stays."""
    return {
        names[name] if name in names and names[name] not in kwargs else name: value
        for name, value in kwargs.items()
    }


def taken(row: Any, own: Any, default: Any, theirs: Any, name: str) -> Any:
    """An argument of a row that is given under numpy's name.

    Raises:
        TypeError: it is given under torch's, too.
    """
    if own is not default:
        raise TypeError(f"{row.name}() got an unexpected keyword argument '{name}'")
    return theirs


def taking_numpy_names(function: Function, name: str) -> Function:
    """torch's function of that name that is composed of rows, which takes numpy's names of its arguments."""
    if not isinstance(function, FunctionType) or hasattr(function, "row") or name in _WRITTEN_IN_PYTHON:
        return function
    names = numpy_names(inspect.signature(function).parameters)
    if not names:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **(renamed(kwargs, names) if kwargs else kwargs))

    return call
