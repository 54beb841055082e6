"""Numbers as text: compare them, check an author's expectation against them, shorten them."""

from __future__ import annotations

import ast
import cmath
import math
import re
import struct
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from conformance.language.scenario import Plain, Tolerance


class Bounds(NamedTuple):
    """How far two numbers may be apart; ``exact`` compares the sign of zero too."""

    rtol: float = 0.0
    atol: float = 0.0
    exact: bool = False


# Those of torch.testing.assert_close.
_BOUNDS: dict[str, Bounds] = {
    "float16": Bounds(1e-3, 1e-5),
    "bfloat16": Bounds(1.6e-2, 1e-5),
    "float32": Bounds(1.3e-6, 1e-5),
    "float64": Bounds(1e-7, 1e-7),
    "complex32": Bounds(1e-3, 1e-5),
    "complex64": Bounds(1.3e-6, 1e-5),
    "complex128": Bounds(1e-7, 1e-7),
}
_PYTHON = _BOUNDS["float32"]  # a Python float in a program is usually the item of a float32 tensor
EXACT = Bounds(exact=True)

# Non-integer numbers in repr's notation; integers are compared exactly.
_REAL = r"(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+|inf|nan)"
_PART = rf"(?:{_REAL}|\d+)"
_NUMBER = re.compile(rf"(?<![\w.'])(\([+-]?{_PART}[+-]{_PART}j\)|[+-]?{_PART}j|[+-]?{_REAL})(?![\w'])")
# All numbers, also integers and bools, and the texts in quotes, in which digits are text.
_TOKEN = re.compile(
    rf"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w.])(?:\([+-]?{_PART}[+-]{_PART}j\)|[+-]?{_PART}j"""
    rf"""|[+-]?{_PART}|True|False)(?![\w.]))"""
)


def bounds(dtype: object, tolerance: Tolerance | None, other: object = None) -> Bounds:
    """The tolerance for a dtype, or for the coarser one of two; Python floats use that of float32."""
    if tolerance is not None and tolerance.by_dtype:
        own = dict(tolerance.by_dtype).get(str(dtype))
        return Bounds(*own) if own else bounds(dtype, None, other)
    if tolerance is not None:
        return Bounds(tolerance.rtol, tolerance.atol, tolerance.rtol == tolerance.atol == 0)
    if dtype is None and other is None:
        return _PYTHON
    return max(_BOUNDS.get(str(each), Bounds()) for each in (dtype, other))


def close(actual: complex, expected: complex, within: Bounds) -> bool:
    """Like torch.testing.assert_close with equal_nan; ``exact`` also compares the sign of zero."""
    if cmath.isnan(expected):
        return cmath.isnan(actual)
    if within.exact:
        return repr(complex(actual)) == repr(complex(expected))
    if actual == expected:
        return True
    finite = cmath.isfinite(actual) and cmath.isfinite(expected)
    return finite and abs(actual - expected) <= within.atol + within.rtol * abs(expected)


@lru_cache(maxsize=64)  # a tensor that differs in its last digit recurs at each later statement
def texts_close(actual: str, expected: str, within: Bounds) -> bool:
    """Whether two texts are equal apart from their numbers, which are compared by value: ``1``, ``1.0``, ``True``."""
    if actual == expected:
        return True
    one, other = _TOKEN.split(actual), _TOKEN.split(expected)
    if one[::2] != other[::2]:
        return False
    return all(_same(a, b, within) for a, b in zip(one[1::2], other[1::2], strict=True))


def _same(actual: str, expected: str, within: Bounds) -> bool:
    """Whether two tokens are one text, or numbers within the tolerance, which does not apply to two integers."""
    if actual == expected:
        return True
    if actual[0] in "'\"" or expected[0] in "'\"":
        return False
    a, b = literal(actual), literal(expected)
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    try:
        return close(complex(a), complex(b), within)
    except OverflowError:  # an integer that no float holds
        return False


def types_differ(one: str, other: str) -> bool:
    """Whether two texts with equal numbers write them as different types: ``1``, ``1.0``, ``True``."""
    pairs = zip(_TOKEN.split(one)[1::2], _TOKEN.split(other)[1::2], strict=True)
    return any(a != b and type(literal(a)) is not type(literal(b)) for a, b in pairs if a[0] not in "'\"")


def numbers_in(text: str) -> tuple[list[str], list[complex]] | None:
    """The text between the numbers, and the numbers; None if there are texts in quotes."""
    parts = _TOKEN.split(text)
    if any(each[0] in "'\"" for each in parts[1::2]):
        return None
    return parts[::2], [literal(each) for each in parts[1::2]]


def literal(text: str) -> bool | int | float | complex:
    """A number as Python's, of the type in which it is written."""
    if text in ("True", "False"):
        return text == "True"
    if "j" in text:
        return complex(text)
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def within_rounding(expected: str, actual: str, exact: str, times: float) -> bool:
    """Whether the error of ``actual`` is at most ``times`` the largest rounding error of ``expected``.

    The rounding error is the distance from ``expected`` to ``exact``. Where the expected number overflowed and the
    exact one is finite, any number is accepted.
    """
    three = [_NUMBER.split(text) for text in (expected, actual, exact)]
    between = [[each.split() for each in parts[::2]] for parts in three]  # columns are wider or narrower
    if not between[0] == between[1] == between[2]:
        return False
    wanted, found, right = ([_number(text) for text in parts[1::2]] for parts in three)
    pairs = list(zip(wanted, found, right, strict=True))
    lost = [abs(c - a) for a, _, c in pairs if cmath.isfinite(a) and cmath.isfinite(c)]
    within = times * max(lost, default=0.0)
    return all(
        abs(b - a) <= within
        if cmath.isfinite(a) and cmath.isfinite(b)
        else repr(a) == repr(b) or (not cmath.isfinite(a) and cmath.isfinite(c))
        for a, b, c in pairs
    )


def differs_in_last_digits(one: str, other: str) -> bool:
    """Whether two texts differ only in the last digits of their numbers: by 1, or within float32's tolerance."""
    ours, theirs = _NUMBER.split(one), _NUMBER.split(other)
    if ours[::2] != theirs[::2]:
        return False
    return all(a == b or _next_to(a, b) for a, b in zip(ours[1::2], theirs[1::2], strict=True))


def _next_to(one: str, other: str) -> bool:
    """Whether two numbers of the same number of digits differ by 1 in the last one, or within float32's tolerance."""
    if "j" in one or not (math.isfinite(float(one)) and math.isfinite(float(other))):
        return False
    a, b = Decimal(one), Decimal(other)
    place = a.as_tuple().exponent
    within = Decimal((0, (1,), int(place)))
    if len(b.as_tuple().digits) <= _DIGITS:
        within = max(within, Decimal(_PYTHON.rtol) * abs(b))
    return place == b.as_tuple().exponent and abs(a - b) <= within


_DIGITS = 9  # that a number in single precision has at most; one with more is in double precision


def _number(text: str) -> complex:
    return complex(text) if "j" in text else float(text)


def shortened(text: str, dtype: object) -> str:
    """The numbers with the precision of their dtype: 0.1 instead of 0.10000000149011612."""
    if dtype not in ("float32", "float16", "bfloat16"):
        return text
    return _NUMBER.sub(lambda match: _shortest(match[0]), text)


def _shortest(text: str) -> str:
    if "j" in text or not math.isfinite(value := float(text)):
        return text
    stored = struct.pack("f", value)
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        if struct.pack("f", short) == stored:
            return repr(short)
    return text


def parsed(text: str) -> Any:
    """The data that `plain` wrote as text; any other text is returned unchanged."""
    try:
        return _data(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return text


def _data(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            data: Any = value
        case ast.Name(id="nan" | "inf"):
            data = float(node.id)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            data = -_data(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            data = _data(left) + _data(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            data = _data(left) - _data(right)
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            data = [_data(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            data = {_data(k): _data(v) for k, v in zip(keys, values, strict=True) if k is not None}
        case ast.Call(func=ast.Name(id="set"), args=[]):
            data = []
        case _:
            raise ValueError(ast.dump(node))
    return data


def holds(expected: Plain, actual: Any, within: Bounds) -> bool:
    """Whether an author's expected value matches the observed one (as `parsed` returns it)."""
    match expected:
        case str() if isinstance(actual, complex):
            number = _complex(expected)
            return number is not None and close(actual, number, within)
        case bool() | None | str():
            return type(actual) is type(expected) and bool(actual == expected)
        case int() | float():
            return _same_number(expected, actual, within)
        case list():
            return (
                isinstance(actual, list)
                and len(actual) == len(expected)
                and all(holds(e, a, within) for e, a in zip(expected, actual, strict=True))
            )
        case dict():
            found = {str(key): item for key, item in actual.items()} if isinstance(actual, dict) else {}
            wanted = {str(key): item for key, item in expected.items()}
            return found.keys() == wanted.keys() and all(holds(wanted[k], found[k], within) for k in wanted)


def _complex(text: str) -> complex | None:
    """The number that is written like ``1+2j`` or ``(1 + 2j)``: YAML has no complex numbers."""
    try:
        return complex(text.replace(" ", ""))
    except ValueError:
        return None


def as_yaml(value: Any) -> str:
    """A value that `parsed` returned, as it is written under ``expect``."""
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case list():
            return f"[{', '.join(map(as_yaml, value))}]"
        case dict():
            return f"{{{', '.join(f'{key}: {as_yaml(item)}' for key, item in value.items())}}}"
        case complex():
            return repr(value).strip("()")
        case str():
            return value
    return repr(value)


def _same_number(expected: int | float, actual: Any, within: Bounds) -> bool:
    match actual:
        case bool():
            return False
        case int() if isinstance(expected, int):
            return actual == expected
        case int() | float() | complex():
            try:
                return close(complex(actual), complex(expected), within)
            except OverflowError:  # an integer that no float holds
                return False
    return False
