"""Helpers that indent and join lines of generated source."""

from __future__ import annotations

from collections.abc import Sequence

_WIDTH = 110  # the longest line of a condition
_LEVEL = " " * 4


def indented(lines: Sequence[str]) -> list[str]:
    """The lines, one level deeper."""
    return [f"{_LEVEL}{line}" for line in lines]


def either(test: str, lines: list[str], otherwise: list[str]) -> list[str]:
    """An if with an else."""
    return [f"if {test}:", *indented(lines), "else:", *indented(otherwise)]


def spread(start: str, parts: Sequence[str], word: str, end: str = ":") -> list[str]:
    """``start``, the parts with ``word`` between them, and ``end``: on one line, or a line for each part."""
    text = f"{start}{f' {word} '.join(parts)}{end}"
    if len(text) <= _WIDTH - 5 * len(_LEVEL) and "\n" not in text:
        return [text]
    first, *others = parts
    lines = "\n".join([first, *(f"{word} {each}" for each in others)])
    return [f"{start}(", *indented(lines.split("\n")), f"){end}"]


def group(parts: Sequence[str], word: str) -> str:
    """Parts in parentheses, joined with ``word``: one part for ``spread``."""
    lines = spread("", parts, word, "")
    return "\n".join(lines) if len(lines) > 1 else f"({lines[0]})"


def function(name: str, parameters: str, body: list[str]) -> str:
    """The source of a function."""
    return "".join(f"{line}\n" for line in [f"def {name}({parameters}):", *indented(body)])
