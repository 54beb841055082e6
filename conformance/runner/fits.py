"""Whether plain data from a file has the types that a frozen class declares."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type: scalars, literals, tuples and lists of one type, mappings, unions, dataclasses.

    A bool is not an int here.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and origin is None:
        return type(value) is hint and all(
            fits(getattr(value, name), each) for name, each in _fields(hint).items()
        )
    if origin is Literal:
        return isinstance(value, str) and value in arguments
    if origin in (Union, UnionType):
        return any(fits(value, each) for each in arguments)
    if origin is tuple and arguments[1:] != (...,):
        return isinstance(value, tuple) and len(value) == len(arguments) and all(map(fits, value, arguments))
    if origin in (tuple, list):
        return isinstance(value, origin) and all(fits(each, arguments[0]) for each in value)
    if origin in (dict, Mapping):
        key, of = arguments
        return isinstance(value, dict) and all(fits(k, key) and fits(v, of) for k, v in value.items())
    raise TypeError(f"{hint} is not a type of plain data")


@cache
def _fields(kind: type) -> Mapping[str, Any]:
    """The fields of a dataclass, with their types; none of another class."""
    return get_type_hints(kind) if hasattr(kind, "__dataclass_fields__") else {}
