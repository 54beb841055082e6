"""Faults of code that a file holds as text: of the templates from which an engine generates functions."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Sequence

_WORDS = {
    "is not": "is",
    "is": "is not",
    "not in": "in",
    "in": "not in",
    "and": "or",
    "or": "and",
    "if not": "if",
    "if": "if not",
    "None": "True",
}
_WORD = re.compile(rf"(?<![\w.])(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?!\w)|\{{[^{{}}]*\}}")
_IS_CODE = re.compile(r"\b(if|elif|else|is|is not|not in|return|raise|try|None|for|self|grad)\b|[=(]")


def template_changes(source: bytes, starts: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Start, end and new text of the words that can be exchanged in texts that look like code."""
    for start, text in _texts(source, starts):
        if not _IS_CODE.search(text) or text.lstrip("rbfRBF").startswith('"""'):
            continue
        for found in _WORD.finditer(text):
            word = found.group()
            if word in _WORDS and not (word in ("in", "not in") and " for " in text):
                at = start + len(text[: found.start()].encode())
                yield at, at + len(word.encode()), _WORDS[word]


def _texts(source: bytes, starts: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The texts with their places; Python 3.12 tokenizes a formatted text in parts."""
    kinds = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    lines = source.splitlines(keepends=True)
    for token in tokenize.tokenize(io.BytesIO(source).readline):
        if token.type in kinds:
            row, column = token.start
            before = lines[row - 1].decode()[:column]
            yield starts[row - 1] + len(before.encode()), token.string
