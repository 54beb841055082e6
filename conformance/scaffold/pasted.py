"""Clean up code copied from a page or a terminal; every line keeps its number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.scaffold.idioms import translated
from conformance.scaffold.left_out import without_ornaments

PROMPT = re.compile(r"\s*(?:>>>|\.\.\.|In \[\d+\]:|   +\.\.\.:)(?: |$)")
_BEGINS = re.compile(r"^\s*(?:>>> |In \[\d+\]: )", re.MULTILINE)
_HEAD = re.compile(r"#!|# -\*-.*coding")
_FENCE = re.compile(r"^\s*(```|~~~)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pasted:
    """Lines of Python, the number of characters removed from the beginning of each, and notes by line."""

    lines: tuple[str, ...]
    shifts: tuple[int, ...]
    notes: tuple[tuple[int, str], ...] = ()

    @property
    def source(self) -> str:
        """The program."""
        return "\n".join(self.lines)


def clean(text: str) -> Pasted:
    """Remove fences, prompts, common indentation and printed output."""
    lines = text.expandtabs(4).split("\n")
    if len(_FENCE.findall(text)) > 1:
        lines = list(_fenced(lines))
    cut = [0] * len(lines)
    if _BEGINS.search("\n".join(lines)):
        found = [PROMPT.match(line) for line in lines]
        cut = [match.end() if match else len(line) for match, line in zip(found, lines, strict=True)]
    kept = [line[count:] for line, count in zip(lines, cut, strict=True)]
    common = min(
        (indent_of(line) for line in kept if line.strip() and not line.lstrip().startswith("#")), default=0
    )
    shifts = [count + min(common, indent_of(line)) for count, line in zip(cut, kept, strict=True)]
    cleaned = [line[shift:].rstrip() for line, shift in zip(lines, shifts, strict=True)]
    cleaned[:2] = ["" if _HEAD.match(line) else line for line in cleaned[:2]]
    left = without_ornaments(cleaned)
    return Pasted(tuple(translated(left.lines)), tuple(shifts), tuple(left.notes))


def _fenced(lines: Sequence[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        fence = _FENCE.match(line) is not None
        inside = inside != fence
        yield line if inside and not fence else ""


def indent_of(line: str) -> int:
    """How many spaces a line begins with."""
    return len(line) - len(line.lstrip())
