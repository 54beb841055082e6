"""Suggestions for mistyped words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import lru_cache


def quoted(key: str) -> str:
    """A key as a message shows it: on one line, and no longer than a key may reasonably be."""
    text = key.encode("unicode_escape").decode() if not key.isprintable() else key
    return f"`{text}`" if len(text) <= _LONGEST else f"`{text[:_LONGEST]}...`"


_LONGEST = 60


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
