"""Normalize texts for comparison: without addresses, file names, foreign frames, kernels, and what Python adds."""

from __future__ import annotations

import re

PROGRAM = "<program>"
"""The file name that a scenario's program has in a traceback."""

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+")
_TRIGGERED = re.compile(r" ?\(Triggered internally at [^)]*\)")
_FRAME = re.compile(r'^ *File "(?P<file>[^"\n]*)", line \d+, in .*\n(?:    .*(?:\n|\Z))*', re.MULTILINE)
_MODULE = re.compile(r"(<module '[\w.]+') from '[^']*'>")
_KERNELS = re.compile(r" '[\w:.]+' is only available for these backends: .*", re.DOTALL)
# From Python 3.13 on.
_SUGGESTION = re.compile(r"(got an unexpected keyword argument '\w+')\. Did you mean '\w+'\?")
_TRIVIAL = re.compile(r"0x|Triggered|File |<module |these backends|Did you mean")
_OF_PYTHON = ("the (type, exc, tb) signature of throw() is deprecated",)  # from Python 3.12 on


def normalised(text: str) -> str:
    """The text without details that differ between processes or engines for irrelevant reasons.

    Lone surrogates, which cannot be written to files and pipes, are escaped.
    """
    if not text.isascii():
        text = text.encode(errors="backslashreplace").decode()
    if not _TRIVIAL.search(text):
        return text
    text = _SUGGESTION.sub(r"\1", _KERNELS.sub("", text))
    text = _FRAME.sub(lambda frame: frame[0] if frame["file"] == PROGRAM else "", text)
    return _MODULE.sub(r"\1>", _ADDRESS.sub("0x...", _TRIGGERED.sub("", text)))


def is_of_python(warning: str) -> bool:
    """Whether a warning is about how a library is written for another release of Python: no program causes it."""
    return warning.startswith(_OF_PYTHON)


def error_text(error: BaseException) -> str:
    """The message of an error, also if reading it raises."""
    try:
        return normalised(str(error))
    except Exception as problem:
        return f"<{type(problem).__name__} while reading this message>"
