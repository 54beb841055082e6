"""Checks of an operator's arguments and results against its schema (torch: core/function_schema_inl.h)."""

from __future__ import annotations

from typing import Any

from .._c10.dtypes import dtype
from .._c10.errors import need_fitting
from .schema import REQUIRED, Argument, FunctionSchema
from .types import Type, cast, number_of

Given = tuple[tuple[Any, ...], dict[str, Any]]


def bind(schema: FunctionSchema, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
    """The arguments as kernels receive them: positional where the schema allows it, and without trailing defaults.

    Raises:
        MisfitError: the arguments do not match the schema.
    """
    name, known = schema.name, schema.arguments
    need_fitting(len(args) <= schema.positional, name)
    found = [cast(known[number].type, each) for number, each in enumerate(args)]
    used = 0
    for number in range(len(args), len(known)):
        argument = known[number]
        if argument.name in kwargs:
            used += 1
            found.append(cast(argument.type, kwargs[argument.name]))
        else:
            need_fitting(argument.default is not REQUIRED, name)
            found.append(argument.default)
    need_fitting(used == len(kwargs), name)
    return _without_defaults(schema, found)


def _says_default(argument: Argument, value: Any) -> bool:
    default = argument.default
    return type(value) is type(default) and (value is default or bool(value == default))


def _without_defaults(schema: FunctionSchema, values: list[Any]) -> Given:
    cut = schema.positional
    named = dict(zip((each.name for each in schema.arguments[cut:]), values[cut:], strict=True))
    for each in schema.arguments[cut:]:
        if _says_default(each, named[each.name]):
            del named[each.name]
    while cut and _says_default(schema.arguments[cut - 1], values[cut - 1]):
        cut -= 1
    return tuple(values[:cut]), named


def filled(schema: FunctionSchema, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Given:
    """The arguments with the defaults filled in."""
    whole = (*args, *(each.default_value for each in schema.arguments[len(args) : schema.positional]))
    only = schema.arguments[schema.positional :]
    return whole, {each.name: kwargs.get(each.name, each.default_value) for each in only}


def returned(schema: FunctionSchema, result: Any) -> Any:
    """A kernel's result, checked and converted for the caller."""
    kinds = [each.type for each in schema.returns]
    if not kinds:
        need_fitting(result is None, schema.name)
        return None
    if len(kinds) > 1 and not isinstance(result, (tuple, list)):
        raise TypeError(f"Object of type '{type(result).__name__}' is not an instance of 'sequence'")
    if len(kinds) == 1:
        return _out(kinds[0], result)
    return tuple(_out(kind, each) for kind, each in zip(kinds, result, strict=True))


def _out(kind: Type, value: Any) -> Any:
    found = cast(kind, value)
    return number_of(found) if isinstance(found, dtype) else found
