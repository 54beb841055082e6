"""Texts as two engines can be compared on them: without addresses, files, foreign frames and lists of kernels."""

from __future__ import annotations

import re

PROGRAM = "<program>"
"""The file name that a scenario's program has in a traceback."""

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")
_TRIGGERED = re.compile(r" ?\(Triggered internally at [^)]*\)")
_FRAME = re.compile(r'^ *File "(?P<file>[^"\n]*)", line \d+, in .*\n(?:    .*(?:\n|\Z))*', re.MULTILINE)
_MODULE = re.compile(r"(<module '[\w.]+') from '[^']*'>")
_KERNELS = re.compile(r" '[\w:.]+' is only available for these backends: .*", re.DOTALL)
_TRIVIAL = re.compile(r"0x|Triggered|File |<module |these backends")


def normalised(text: str) -> str:
    """The text without what differs from process to process or from engine to engine for no reason.

    Half a character, which no file and no pipe takes, is escaped.
    """
    if not text.isascii():
        text = text.encode(errors="backslashreplace").decode()
    if not _TRIVIAL.search(text):
        return text
    text = _KERNELS.sub("", text)
    text = _FRAME.sub(lambda frame: frame[0] if frame["file"] == PROGRAM else "", text)
    return _MODULE.sub(r"\1>", _ADDRESS.sub("0x...", _TRIGGERED.sub("", text)))


def error_text(error: BaseException) -> str:
    """What an error says, even where asking it fails."""
    try:
        return normalised(str(error))
    except Exception as problem:
        return f"<{type(problem).__name__} while reading this message>"
