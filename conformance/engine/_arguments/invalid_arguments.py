"""The error messages for arguments that match no signature (torch: utils/invalid_arguments.cpp)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._c10.errors import typename

Keywords = Mapping[str, Any]


def no_signature_matches(name: str, signatures: Sequence[str], args: Sequence[Any], kwargs: Keywords) -> str:
    """The message for arguments that match none of several signatures (torch: format_invalid_args)."""
    given = "".join(f"{typename(each)}, " for each in args)
    given += "".join(f"{key}={typename(kwargs[key])}, " for key in reversed(list(kwargs)))
    if args:
        given = given.removesuffix(", ")
    lines = [f"{name}() received an invalid combination of arguments - got ({given}), but expected one of:"]
    for each in signatures:
        lines.append(f" * {each}")
        parts = _parameters(each)
        if len(parts) == len(args) + len(kwargs):
            lines.append("      didn't match because some of the " + _mark_mismatches(parts, args, kwargs))
    return "\n".join(lines) + "\n"


def signature_mismatch(name: str, signature: str, args: Sequence[Any], kwargs: Keywords) -> str:
    """The message for arguments that do not match a function's only signature."""
    parts = _parameters(signature)
    names = [part[-1] for part in parts]
    unknown = [key for key in reversed(list(kwargs)) if key not in names[max(0, len(names) - len(kwargs)) :]]
    if unknown:  # torch looks at as many of the last parameters as there are keyword arguments
        told = f"got unrecognized keyword arguments: {', '.join(unknown)}"
        return f"{name}() received an invalid combination of arguments - {told}"
    if len(parts) == len(args) + len(kwargs):  # torch counts the * as a parameter
        values = [*args, *(kwargs[each] for each in names[len(args) :] if each in kwargs)]
        pairs = zip(parts, values, strict=False)
        shown = [typename(v) if typename(v) == p[0] else f"!{typename(v)}!" for p, v in pairs]
    else:
        shown = [*map(typename, args), *(f"{key}={typename(value)}" for key, value in kwargs.items())]
    return f"{name}() received an invalid combination of arguments - got ({', '.join(shown)}), but expected {signature}"


def _parameters(signature: str) -> list[tuple[str, ...]]:
    """Types and names of the parameters; like torch, this splits at commas, so that * and defaults are part of them."""
    return [tuple(part.rsplit(" ", 1)) for part in signature[1:-1].split(", ")]


def _mark_mismatches(parts: Sequence[tuple[str, ...]], args: Sequence[Any], kwargs: Keywords) -> str:
    names = [part[-1] for part in parts]
    unknown = [key for key in reversed(list(kwargs)) if key not in names[len(args) :]]
    if unknown:
        return f"keywords were incorrect: {', '.join(unknown)}"
    shown = []
    for position, part in enumerate(parts):
        by_name = position >= len(args)
        value = kwargs[names[position]] if by_name else args[position]
        kinds = ("int",) if part[0] == "int" else ("float", "int") if part[0] == "float" else (part[0],)
        mark = "" if typename(value) in kinds else "!"
        shown.append(f"{mark}{names[position] + '=' if by_name else ''}{_describe_type(value)}{mark}")
    text = ", ".join(shown)
    return f"arguments have invalid types: ({text}{'' if args else ', '})"


def _describe_type(value: Any) -> str:
    """The type of a value, with the types of the elements of a list or tuple."""
    if not isinstance(value, (tuple, list)):
        return typename(value)
    inner = ", ".join(map(typename, value))
    if isinstance(value, list):
        return f"list of [{inner}]"
    return f"{typename(value)} of ({inner}{',' * (len(value) == 1)})"
