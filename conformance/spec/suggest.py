"""What a person who mistyped a word probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import lru_cache


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``did you mean `x`?`` for the nearest known word, or nothing."""
    return _nearest(word, frozenset(known))


@lru_cache  # a matrix repeats a mistake in each of its cases
def _nearest(word: str, known: frozenset[str]) -> str:
    near = difflib.get_close_matches(word, sorted(known - {word}), n=1, cutoff=0.7)
    return f"did you mean `{near[0]}`?" if near else ""
