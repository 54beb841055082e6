"""``range`` and ``iter`` for programs, which a time limit can interrupt.

Note [What an alarm cannot reach]: CPython calls a signal handler between two bytecodes. A loop that runs entirely in C,
such as ``sum(range(10**12))`` or ``list(iter(int, 1))``, never reaches one, and no other thread gets to run. So
programs use these versions of ``range`` and ``iter``, in which each turn of a possibly long loop runs in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

LONG = 10**7
"""A length that C iterates in well under a second."""


class LongRange:
    """A range that is iterated in Python."""

    def __init__(self, numbers: range) -> None:
        self._numbers = numbers

    def __iter__(self) -> Iterator[int]:
        for number in self._numbers:  # noqa: UP028 - `yield from` would hand the loop back to C
            yield number

    def __reversed__(self) -> Iterator[int]:
        return iter(LongRange(self._numbers[::-1]))

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: Any) -> Any:
        return self._numbers[index]

    def __contains__(self, value: object) -> bool:
        return value in self._numbers

    def __repr__(self) -> str:
        return repr(self._numbers)


class _Ranges(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, range | LongRange)

    def __setattr__(cls, name: str, value: object) -> None:
        raise TypeError(f"cannot set {name!r} attribute of immutable type 'range'")

    def __call__(cls, *bounds: Any) -> Any:
        made = range(*bounds)
        return LongRange(made) if made[LONG:] else made


class bounded_range(metaclass=_Ranges):  # noqa: N801 - replaces `range`
    """The ``range`` of programs."""


def stepped_iter(*arguments: Any) -> Iterator[Any]:
    """The ``iter`` of programs."""
    return _until(*arguments) if len(arguments) == 2 else iter(*arguments)


def _until(function: Callable[[], Any], last: Any) -> Iterator[Any]:
    while (value := function()) != last:
        yield value
