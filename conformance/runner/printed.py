"""What a step prints: compare it with what is expected."""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformance.runner.trace import Moment
from conformance.runner.values import Bounds, texts_close


def printed_by(moments: Iterable[Moment]) -> str:
    """What the statements of these moments print, without blank lines around it."""
    return "".join(moment.printed for moment in moments if moment.statement.kind == "run").strip("\n")


def misprint(wanted: str, printed: str, within: Bounds) -> str:
    """What is wrong with a printed text; empty if it is as expected.

    White space at the ends of lines and blank lines around the text do not count, floating-point numbers may differ
    within the tolerance, and `...` matches any text, also several lines.
    """
    expected, found = _lines(wanted), _lines(printed)
    pairs = list(zip(expected, found, strict=False))
    fits = [_fits(one, other, within) for one, other in pairs]
    if all(fits) and len(expected) == len(found):
        return ""
    if "..." in wanted and _matches("\n".join(expected), "\n".join(found)):
        return ""
    if not found or not expected or len(expected) == len(found) == 1:
        return f"prints {_quoted(found)}, expected {_quoted(expected)}"
    number = fits.index(False) if False in fits else len(pairs)
    if "..." in expected[:number]:  # which lines belong together is not known
        return f"prints {_quoted(found)}, expected {_quoted(expected)}"
    one, other = (_quoted(lines[number : number + 1]) for lines in (found, expected))
    return f"line {number + 1} of what it prints is {one}, expected {other}"


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()] if text.strip() else []


def _fits(wanted: str, printed: str, within: Bounds) -> bool:
    return texts_close(printed, wanted, within) or ("..." in wanted and _matches(wanted, printed))


def _matches(wanted: str, printed: str) -> bool:
    pattern = ".*".join(map(re.escape, wanted.split("...")))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def _quoted(lines: list[str]) -> str:
    return repr("\n".join(lines)) if lines else "nothing"
