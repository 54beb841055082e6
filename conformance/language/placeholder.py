"""``${name}``, which a matrix replaces.

Braces would end a word inside a flow sequence. So YAML is composed with private-use characters instead, of the same
length, which keeps every column right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_WRITTEN = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_CONCEALED = re.compile("\ue000\ue001(\\w*)\ue002")


def conceal(text: str) -> str:
    """The text with every ``${name}`` written in private-use characters."""
    return _WRITTEN.sub("\ue000\ue001\\1\ue002", text) if "${" in text else text


def reveal(text: str) -> str:
    """The text as it was written."""
    return _CONCEALED.sub(r"${\1}", text) if holds(text) else text


def holds(text: str) -> bool:
    """Whether the text contains a concealed placeholder."""
    return "\ue000" in text


def replace(text: str, values: Mapping[str, str], used: set[str], missing: Callable[[str], None]) -> str:
    """The text with its placeholders replaced; ``used`` collects names, ``missing`` is called with unknown ones."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        used.add(name)
        if name not in values:
            missing(name)
            return f"${{{name}}}"
        return values[name]

    return _CONCEALED.sub(value, text)


def origin(text: str, values: Mapping[str, str], offset: int) -> int:
    """The offset in the concealed text of the character at ``offset`` of the replaced one."""
    shift = 0
    for match in _CONCEALED.finditer(text):
        start = match.start() + shift
        length = len(values.get(match[1], match[0]))
        if offset < start:
            break
        if offset < start + length:
            return match.start()
        shift += length - len(match[0])
    return offset - shift
