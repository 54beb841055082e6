"""Suggestions for mistyped words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import lru_cache


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``did you mean `x`?`` for the nearest known word, or an empty text."""
    return _nearest(word, frozenset(known))


@lru_cache  # a matrix repeats a mistake in each of its cases
def _nearest(word: str, known: frozenset[str]) -> str:
    others = sorted(known - {word})
    # Two letters swapped in a short word are far off by difflib.
    swapped = [each for each in others if sorted(each) == sorted(word)]
    near = swapped or difflib.get_close_matches(word, others, n=1, cutoff=0.7)
    return f"did you mean `{near[0]}`?" if near else ""
