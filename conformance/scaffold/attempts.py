"""What runs of a `try`: its body up to an error, then the handler for that error, or else its `else`.

Note [An attempt is decided by running it]: the language has no `try`, and a step ends at an error. So the statements
of a `try` become statements of the program, and those that Python would not have run are left out once torch has
shown where the error is raised.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass

BODY, EXCEPT, ELSE, FINALLY = "body", "except", "else", "finally"

Within = tuple[tuple[int, str], ...]
"""The attempts around a statement, the innermost last: the number of each, and the block of it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One statement of the program, with the comments above it."""

    text: str
    line: int  # of the file
    shows: tuple[str, ...] = ()  # expressions that it only prints
    within: Within = ()


@dataclass(frozen=True, slots=True)
class Handler:
    """One `except`: the types that it catches, all if there are none, and its statements."""

    types: tuple[str, ...]
    parts: tuple[Part, ...]

    def catches(self, raised: str) -> bool:
        """Whether it catches an error of this type."""
        return not self.types or any(_is_a(raised, each) for each in self.types)


Attempts = Sequence[Sequence[Handler]]
"""The handlers of each `try` of a program, by its number."""


def caught_types(handler: ast.ExceptHandler) -> tuple[str, ...]:
    """The names of the types that an `except` catches."""
    match handler.type:
        case None:
            return ()
        case ast.Tuple(elts=types):
            return tuple(map(ast.unparse, types))
        case one:
            return (ast.unparse(one),)


def after_error(parts: Sequence[Part], at: int, raised: str, attempts: Attempts) -> tuple[Part, ...]:
    """The statements that run if the one at index ``at`` raises an error of type ``raised``.

    Where no handler catches it, only the innermost `try` ends: what follows is another step.
    """
    around = list(reversed(parts[at].within))
    left: list[int] = []  # the attempts that the error ends, the innermost first
    caught: tuple[Part, ...] = ()
    for number, block in around:
        left.append(number)
        handlers = attempts[number] if block == BODY else ()
        if handler := next((each for each in handlers if each.catches(raised)), None):
            caught = handler.parts
            break
    else:
        left = left[:1]
    later = parts[at + 1 :]
    inner = [part for part in later if _runs_first(part, left)]
    rest = [part for part in later if part not in inner and not _is_skipped(part, left)]
    return (*parts[: at + 1], *inner, *caught, *rest)


def _runs_first(part: Part, left: Sequence[int]) -> bool:
    """Whether it is in the `finally` of an attempt inside the one that catches the error."""
    return any((number, FINALLY) in part.within for number in left[:-1])


def _is_skipped(part: Part, left: Sequence[int]) -> bool:
    return any(number in left and block != FINALLY for number, block in part.within)


def _is_a(raised: str, caught: str) -> bool:
    """Whether a type is, or is derived from, a type that is caught, both by name."""
    mine, theirs = raised.rpartition(".")[2], caught.rpartition(".")[2]
    one, other = (getattr(builtins, name, None) for name in (mine, theirs))
    if isinstance(one, type) and isinstance(other, type):
        return issubclass(one, other)
    return mine == theirs or theirs in ("Exception", "BaseException")
