"""Helpers that indent, join and wrap lines of generated source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

_WIDTH = 110  # the longest line
_LEVEL = " " * 4


def indented(lines: Sequence[str]) -> list[str]:
    """The lines, one level deeper."""
    return [f"{_LEVEL}{line}" for line in lines]


def either(test: str, lines: list[str], otherwise: list[str]) -> list[str]:
    """An if with an else; ``elif``, if the else branch is a single if statement."""
    if otherwise[0].startswith("if ") and all(line.startswith((" ", ")", "el")) for line in otherwise[1:]):
        return [f"if {test}:", *indented(lines), f"el{otherwise[0]}", *otherwise[1:]]
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
    lines = [f"def {name}({parameters}):", *indented(body)]
    return "".join(f"{part}\n" for line in lines for part in _folded(line))


def _folded(line: str) -> list[str]:
    """A line that is too long, broken between the elements of its longest list (of arguments, of a tuple)."""
    if len(line) <= _WIDTH:
        return [line]
    lists = [(start, end, commas) for start, end, commas in _brackets(line) if commas]
    if not lists:
        return [line]
    start, end, commas = max(lists, key=lambda found: found[1] - found[0])
    margin = " " * (len(line) - len(line.lstrip())) + _LEVEL
    bounds = [start, *commas, end]
    elements = [line[one + 1 : other].strip() for one, other in pairwise(bounds)]
    lines: list[str] = []
    for element in filter(None, elements):
        if lines and len(lines[-1]) + len(element) + 2 <= _WIDTH:
            lines[-1] += f" {element},"
        else:
            lines.append(f"{margin}{element},")
    inside = [part for each in lines for part in _folded(each)]
    return [line[: start + 1], *inside, margin.removesuffix(_LEVEL) + line[end:]]


def _brackets(line: str) -> Iterator[tuple[int, int, list[int]]]:
    """The outermost pairs of parentheses, and the commas right inside of each."""
    quote = ""
    opened: list[int] = []
    commas: list[int] = []
    for place, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote and line[place - 1] != "\\" else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            opened.append(place)
        elif letter in ")]}":
            start = opened.pop()
            if not opened:
                if letter == ")":
                    yield start, place, commas
                commas = []
        elif letter == "," and len(opened) == 1:
            commas.append(place)
