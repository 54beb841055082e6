"""Whether plain data from a file has the types that a frozen class declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type: scalars, literals, tuples and lists of one type, mappings, unions, dataclasses.

    A bool is not an int here.
    """
    return _checker(hint)(value)


@cache
def _checker(hint: Any) -> Callable[[Any], bool]:
    """The check for a type, built once."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType) and all(isinstance(each, type) for each in arguments):
        kinds = frozenset(arguments)  # of scalars
        return lambda value: type(value) in kinds
    if origin in (Union, UnionType):
        several = [*map(_checker, arguments)]
        return lambda value: any(check(value) for check in several)
    if origin is Literal:
        return lambda value: isinstance(value, str) and value in arguments
    if origin is tuple and arguments[1:] != (...,):
        parts = [*map(_checker, arguments)]
        return lambda value: (
            type(value) is tuple
            and len(value) == len(parts)
            and all(check(each) for check, each in zip(parts, value, strict=True))
        )
    if origin in (tuple, list):
        item = _checker(arguments[0])
        return lambda value: type(value) is origin and all(map(item, value))
    if origin in (dict, Mapping):
        key, of = map(_checker, arguments)
        return lambda value: type(value) is dict and all(map(key, value)) and all(map(of, value.values()))
    if not isinstance(hint, type):
        raise TypeError(f"{hint} is not a type of plain data")
    if hasattr(hint, "__dataclass_fields__"):
        fields = [(name, _checker(each)) for name, each in get_type_hints(hint).items()]
        return lambda value: (
            type(value) is hint and all(check(getattr(value, name)) for name, check in fields)
        )
    return lambda value: type(value) is hint
