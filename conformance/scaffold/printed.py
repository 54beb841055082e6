"""What a drafted step prints: the text that torch printed, without what is another number each time."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

LONGEST_LINE = 160  # longest line of printed text, in characters
MOST_LINES = 30  # most lines of printed text

_NUMBER = re.compile(r"( *[-+]?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+(?:e[-+]?\d+)?|nan\b|inf\b))")
_OPEN = re.compile(r"\.\.\.(?:[\s,\[\]]*\.\.\.)+")


def prints(text: str) -> bool:
    """Whether a program has a `print` that is called when it runs, or when a function of it does."""
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        for node in ast.walk(ast.parse(text))
    )


def constant(printed: str, other: str) -> str:
    """A printed text with `...` where a run with another seed prints something else."""
    one, two = _NUMBER.split(printed), _NUMBER.split(other)
    if one[::2] != two[::2]:
        if printed.count("\n") != other.count("\n"):
            return "..."
        lines = zip(printed.split("\n"), other.split("\n"), strict=True)
        return "\n".join(
            constant(a, b) if _NUMBER.split(a)[::2] == _NUMBER.split(b)[::2] else "..." for a, b in lines
        )
    numbers = [a if a == b else f"{_spaces(a, b)}..." for a, b in zip(one[1::2], two[1::2], strict=True)]
    parts = [part for pair in zip(one[::2], [*numbers, ""], strict=True) for part in pair]
    return _OPEN.sub("...", "".join(parts))


def _spaces(one: str, other: str) -> str:
    """The spaces before two numbers, where they are the same."""
    found = [text[: len(text) - len(text.lstrip())] for text in (one, other)]
    return found[0] if found[0] == found[1] else ""


def shortened(printed: str) -> str:
    """A printed text of which long lines, and lines in the middle, are left open."""
    lines = [
        line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 3]}..."
        for line in (each.rstrip() for each in printed.strip("\n").split("\n"))
    ]
    return "\n".join(lines if len(lines) <= MOST_LINES else _without_middle(lines))


def _without_middle(lines: Sequence[str]) -> list[str]:
    return [*lines[: MOST_LINES - 2], "...", lines[-1]]
