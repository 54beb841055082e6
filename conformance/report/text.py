"""Texts cut to a width, lists and tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Protocol, TextIO

LONGEST = 60  # characters of a cell


class Named(Protocol):
    """Anything with a name and a version."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...


def escape_the_unprintable(stream: TextIO | None) -> None:
    """Let a stream escape characters that its encoding lacks, instead of raising; UTF-8 lacks lone surrogates."""
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def shorten(text: str, longest: int = LONGEST) -> str:
    """The text on one line; a long text is cut in the middle, with the number of omitted characters."""
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    room = longest - len(f" ...{len(text)}... ")
    head, tail = room - room // 2, room // 2
    return f"{text[:head]} ...{len(text) - head - tail}... {text[len(text) - tail :]}"


def shorten_both(one: str, other: str, longest: int = LONGEST, *, prose: bool = False) -> tuple[str, str]:
    """Two different texts, each like `shorten`; cut before their first difference if it would be hidden.

    With ``prose``, as in errors, they are cut at their end.
    """
    one, other = " ".join(one.split()), " ".join(other.split())
    length = max(len(one), len(other))
    at = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    if length <= longest or at < longest // 3:
        cut = clip_end if prose else shorten
        return cut(one, longest), cut(other, longest)
    begin = min(at - longest // 4, length - longest + len(f"...{length}... "))
    begin += one[begin:at].find(" ") + 1
    return _from(one, begin, longest), _from(other, begin, longest)


def _from(text: str, begin: int, longest: int) -> str:
    """A text without its beginning, and without its end where it is too long."""
    text = f"...{begin}... {text[begin:]}" if begin else text
    if len(text) <= longest:
        return text
    room = longest - len(f" ...{len(text)}...")
    return f"{text[:room]} ...{len(text) - room}..."


def clip_end(text: str, longest: int) -> str:
    """A text cut at its end, preferably after a word, with the number of omitted characters."""
    if len(text) <= longest:
        return text
    room = longest - len(f" ...{len(text)}...")
    head = text[:room]
    word = head.rpartition(" ")[0]
    head = word if len(word) > room * 2 // 3 else head
    return f"{head} ...{len(text) - len(head)}..."


def clip(text: str, longest: int) -> str:
    """Prose on one line, cut at the end of a word."""
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    return text[: longest - 3].rpartition(" ")[0].rstrip(",;") + "..."


def listed(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def short_path(path: str | Path) -> str:
    """The path as a person in the current folder would type it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.path.join("..", "..")) else relative


def label(name: str, version: str) -> str:
    """An engine's name with its version, where it has one."""
    return name if version == "unknown" else f"{name} {version}"


def distinct_labels(one: Named, other: Named) -> tuple[str, str]:
    """The names of two engines, with their versions where the names are the same."""
    if one.name != other.name:
        return one.name, other.name
    return label(one.name, one.version), label(other.name, other.version)


def table(rows: Sequence[Sequence[str]], longest: int = LONGEST) -> Iterator[str]:
    """The rows in aligned columns."""
    cells = [[shorten(cell, longest) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
