"""Map positions within a program or expression to positions in its file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from yaml import ScalarNode

from conformance.language import placeholder
from conformance.language.document import Place, Reader

_FIRST_TEXT = re.compile(r"(?:[ ]*\n)*([ ]*)")  # of the first line that is not empty: its indentation


@dataclass(frozen=True, slots=True)
class Source:
    """A scalar that holds Python, with the reader that replaced its placeholders."""

    node: ScalarNode
    reader: Reader

    def place(self, line: int = 1, column: int = 1) -> Place:
        """The file's line and column of a line and column of the text; both count from 1."""
        line, column = self._as_written(line, column)
        start = self.reader.place(self.node)
        if self.node.style in ("|", ">"):
            return Place(start.line + line, column + self._indentation())
        if line > 1 or "\\" in self._raw():  # an escape makes columns incomparable
            return start
        return Place(start.line, start.column + column - 1 + (1 if self.node.style else 0))

    def _as_written(self, line: int, column: int) -> tuple[int, int]:
        """The position before matrix values were inserted."""
        value: str = self.node.value
        if not placeholder.holds(value):
            return line, column
        values = self.reader.values or {}
        replaced = placeholder.replace(value, values, set(), lambda name: None)
        offset = sum(len(text) + 1 for text in replaced.split("\n")[: line - 1]) + column - 1
        before = value[: placeholder.origin(value, values, offset)]
        return before.count("\n") + 1, len(before) - before.rfind("\n")

    def _raw(self) -> str:
        return self.reader.text[self.node.start_mark.index : self.node.end_mark.index]

    def _indentation(self) -> int:
        """How far a block's text is indented in the file."""
        raw = _FIRST_TEXT.match(self.reader.text, self.reader.text.find("\n", self.node.start_mark.index) + 1)
        read = _FIRST_TEXT.match(self.node.value)
        return len(raw[1]) - len(read[1]) if raw and read else 0
