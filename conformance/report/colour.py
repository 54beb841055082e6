"""Print styled lines on a terminal. The only file that needs rich."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from conformance.report.show import Line

_STYLES = {"title": "bold", "dim": "dim", "differs": "bold red"}


def print_in_colour(lines: Iterable[Line]) -> None:
    """Print to standard output in the terminal's colours."""
    console = Console(highlight=False, soft_wrap=True)
    python = Syntax("", "python", theme="ansi_dark", background_color="default")
    for line in lines:
        text = Text()
        for piece, style in line:
            text.append_text(_code(python, piece) if style == "code" else Text(piece, _STYLES.get(style, "")))
        console.print(text)


def _code(python: Syntax, text: str) -> Text:
    found = python.highlight(text)
    found.rstrip()
    return found
