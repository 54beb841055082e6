"""Deprecated overloads with numbers among the tensors (torch: tools/autograd/deprecated.yaml).

``x.add_(-lr, grad)`` is ``x.add_(grad, alpha=-lr)``. Such a call has more positional arguments than the operation. In a method,
and if there is only one number, the numbers come after the first tensor; in a function, ``beta`` comes before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._autograd.tensor import Tensor
from .._c10.dtypes import NUMBERS
from .._c10.operator_facts import NUMBERS_OF
from .._c10.slots import unfilled
from .._c10.warn_once import warn_once

if TYPE_CHECKING:
    from .._aten.registry import Row

# From overloads, see Note [Slots].
argument_error: Callable[..., TypeError | None] = unfilled
no_arguments_error: Callable[..., TypeError | None] = unfilled

_BETA = ("beta", "alpha")


def to_keyword_numbers(
    row: Row, given: tuple[Any, ...], named: dict[str, Any], called: str, method: bool
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Convert a call of a deprecated overload, and warn: return its tensors, and its numbers as keyword arguments.

    Args:
        given: all positional arguments, more than the operation has.
        named: the keyword arguments.
        called: the name that was called.

    Raises:
        TypeError: the arguments match no such overload.
    """
    names = NUMBERS_OF.get(row.name, ())
    count = len(given) - row.most
    before = not method and names == _BETA
    places = (0, 2)[:count] if before else range(1, count + 1)
    numbers = [given[k] for k in places]
    rest = [each for k, each in enumerate(given) if k not in places]
    if count > len(names) or not _matches(row, numbers, rest):
        found = argument_error(f"Tensor.{called}" if method else called, given[method:], _unless_one(named))
        raise found or too_many(row, count, method, called)
    # Then torch names the arguments of the other overload.
    fits = len(given) + len(named) <= len(row.parameters)
    named = _unless_one(named)
    if named and method and fits:
        raise too_many(row, count, method, called)
    if named:
        raise TypeError(
            f"{called}() received an invalid combination of arguments - got unrecognized keyword arguments: "
            + ", ".join(named)
        )
    warn_once(_deprecation_message(row, names, count, called, method, before), place="a signature")
    return tuple(rest), dict(zip(names, numbers, strict=False))


def _unless_one(named: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments but for numbers that are one, which is the default of alpha and beta."""
    return {name: value for name, value in named.items() if isinstance(value, Tensor) or value != 1}


def _matches(row: Row, numbers: list[Any], rest: list[Any]) -> bool:
    """Whether the numbers are numbers, and the other arguments tensors."""
    tensors = zip(row.parameters, rest, strict=False)
    return all(each.__class__ in NUMBERS for each in numbers) and all(
        isinstance(each, Tensor) or (name in row.numbers and each.__class__ in NUMBERS)
        for name, each in tensors
    )


def _deprecation_message(
    row: Row, names: tuple[str, ...], count: int, called: str, method: bool, before: bool
) -> str:
    positional = [name for name, p in row.parameters.items() if p.kind is not p.KEYWORD_ONLY]
    tensors = [f"Tensor {'input' if name == 'self' else name}" for name in positional][method:]
    numbers = [f"Number {name}" for name in names[:count]]
    if before:
        old = [numbers[0], tensors[0], *numbers[1:], *tensors[1:]]
    else:
        old = [*numbers, *tensors] if method else [tensors[0], *numbers, *tensors[1:]]
    scales = [f"Number {name} = 1" for name in names]
    out = [] if method else ["Tensor out = None"]
    instead = [[*tensors, "*", *scales, *out]]
    if before and row.name in ("addmm", "baddbmm"):
        instead.append([*tensors, "torch.dtype out_dtype", "*", *scales, *out])
    listed = "".join(f"\n\t{called}({', '.join(each)})" for each in instead)
    return (
        f"This overload of {called} is deprecated:\n\t{called}({', '.join([*old, '*', *out] if out else old)})\n"
        f"Consider using one of the following signatures instead:{listed}"
    )


def too_many(row: Row, more: int, method: bool, called: str) -> TypeError:
    """The error for too many positional arguments."""
    count = row.most - method
    if not count and (found := no_arguments_error(called, more, {})) is not None:
        return found
    plural = "s" if count > 1 else ""
    return TypeError(f"{called}() takes {count} positional argument{plural} but {count + more} were given")
