"""Text in a fixed width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

LONGEST = 60  # characters of a cell


def shorten(text: str, longest: int = LONGEST) -> str:
    """The text on one line, a long one cut in the middle with the number of characters left out."""
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    room = longest - len(f" ...{len(text)}... ")
    head, tail = room - room // 2, room // 2
    return f"{text[:head]} ...{len(text) - head - tail}... {text[len(text) - tail :]}"


def clip(text: str, longest: int) -> str:
    """Prose on one line, cut at the end of a word."""
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    return text[: longest - 3].rpartition(" ")[0].rstrip(",;") + "..."


def label(name: str, version: str) -> str:
    """An engine's name with its version, where it has one."""
    return name if version == "unknown" else f"{name} {version}"


def table(rows: Sequence[Sequence[str]], longest: int = LONGEST) -> Iterator[str]:
    """The rows in aligned columns."""
    cells = [[shorten(cell, longest) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
