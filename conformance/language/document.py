"""YAML text with positions: compose it, read it strictly as plain data, report where a mistake is.

libyaml composes the text into nodes with line and column. The meaning of a scalar is decided here, not by YAML 1.1,
in which ``no`` is False, ``1e-3`` a text and ``12:30`` the number 750.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from yaml import MappingNode, MarkedYAMLError, Node, ScalarNode, SequenceNode
from yaml._yaml import CParser
from yaml.composer import ComposerError
from yaml.reader import ReaderError

from conformance.language import placeholder
from conformance.language.suggest import did_you_mean, quoted

DEEPEST = 64  # libyaml's composer recurses in C without a limit of its own
DIGITS = 4300  # Python's own limit for reading an integer
LONGEST_NUMBER = 40  # characters of a number in a message


class Place(NamedTuple):
    """Line and column, counting from 1, without the file."""

    line: int
    column: int


class _Composer(CParser):
    """libyaml's composer without YAML 1.1's resolver: a node's tag is "" unless it was written."""

    depth = 0

    def resolve(self, kind: type, value: object, implicit: object) -> str:
        return ""

    def descend_resolver(self, parent: Node, index: object) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ComposerError(None, None, "nested too deeply", parent.start_mark)

    def ascend_resolver(self) -> None:
        self.depth -= 1


class NotYAML(Exception):  # noqa: N818 - says what the file is
    """The file or text is not YAML: the place and the reason."""

    def __init__(self, place: Place, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.place, self.message, self.hint = place, message, hint


def text_of(path: Path) -> str:
    """The text of a file; raises NotYAML where it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise NotYAML(Place(1, 1), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        place = Place(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        raise NotYAML(place, "is not UTF-8", "save the file as UTF-8") from None


def compose(text: str) -> Node | None:
    """The root node of ``text``, or None if it is empty; raises NotYAML.

    ``${name}`` is replaced by a placeholder of the same length, so that it may appear wherever a word may.
    """
    try:
        composer = _Composer(placeholder.conceal(text))
        return composer.get_single_node()
    except ReaderError as error:
        before = text[: error.position]
        place = Place(before.count("\n") + 1, len(before) - before.rfind("\n"))
        character = error.character if isinstance(error.character, int) else ord(error.character[:1])
        raise NotYAML(place, f"the character {chr(character)!r} is not allowed in YAML") from None
    except MarkedYAMLError as error:
        problem = error.problem or ""
        begun = _BEGUN.search(problem)  # report where it begins, not where the text ends
        mark = (error.context_mark if begun else None) or error.problem_mark or error.context_mark
        place = Place(mark.line + 1, mark.column + 1) if mark else Place(1, 1)
        if not begun and (bracket := _unpaired(text, place)):
            raise bracket from None
        message, hint = _explained(text, place, placeholder.reveal(problem))
        raise NotYAML(place, message, hint) from None


_CLOSING = {"[": "]", "{": "}"}


def _unpaired(text: str, stopped: Place) -> NotYAML | None:
    """A bracket without its other half in text that is not YAML, if there is one.

    libyaml reports where it noticed, which may be many lines below. ``stopped`` is that place. Behind a bracket that is
    not closed tokens may not be readable: then one that was opened on an earlier line counts as not closed.
    """
    opened: list[tuple[str, Place]] = []
    scanner = CParser(placeholder.conceal(text))
    try:
        while (token := scanner.get_token()) is not None:
            mark = token.start_mark
            here = Place(mark.line + 1, mark.column + 1)
            character: str = getattr(token, "id", "")
            if character in _CLOSING:
                opened.append((character, here))
            elif character in _CLOSING.values():
                if not opened:
                    return NotYAML(
                        here, f"not YAML: `{character}` closes no bracket", "quote a text that has brackets"
                    )
                if _CLOSING[opened[-1][0]] != character:
                    break
                opened.pop()
    except MarkedYAMLError:
        if opened and opened[-1][1].line == stopped.line:
            return None
    if not opened:
        return None
    bracket, place = opened[-1]
    return NotYAML(
        place,
        f"not YAML: `{bracket}` is not closed",
        f"close it with `{_CLOSING[bracket]}`, or quote a text that has brackets",
    )


_BEGUN = re.compile(r"unexpected end of stream|could not find expected ':'")


def _explained(text: str, place: Place, problem: str) -> tuple[str, str]:
    """libyaml's message, with a hint for the usual mistakes of writing Python in YAML."""
    line = "".join(text.splitlines()[place.line - 1 : place.line])
    if "another document" in problem:
        return "a second document begins here", "one file is one document: remove the line ---"
    if "unexpected end of stream" in problem:
        return "a quoted text does not end", "close the quote, or write a program below `run: |`"
    hint = ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        hint = "indent with spaces, YAML refuses tabs"
    elif "could not find expected ':'" in problem:
        hint = "write `key: value`; indent the lines of a program below `run: |`"
    elif "mapping values" in problem and line[: place.column - 1].strip().isidentifier():
        hint = "start the keys of one mapping in the same column"
    elif re.search(r"\brun:\s*[^|>\s]", line):
        hint = "write the program below `run: |`"
    elif "{" in line:
        hint = "quote what has brackets or commas, or use block form with one key on each line"
    elif re.search(r""":\s*("[^"]*"|'[^']*')\s*[^\s#]""", line):
        hint = "a text that begins with a quote must end with it: quote the whole text"
    elif re.search(r"expected (key|'-'|<block)", problem):
        hint = "start the keys of one mapping in the same column"
    elif "mapping values" in problem or "alias" in problem or "cannot start" in problem:
        hint = "quote a text that has a colon or begins with a special character"
    return f"not YAML: {problem}", hint


# ---------------------------------------------------------------------------------------------- scalars

WORDS: Mapping[str, Any] = {
    **dict.fromkeys(("null", "Null", "NULL", "None", "~"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("nan", "NaN", ".nan", ".NaN", ".NAN"), float("nan")),
    **{
        sign + word: float(f"{sign}inf")
        for word in ("inf", "Infinity", ".inf", ".Inf", ".INF")
        for sign in ("", "+", "-")
    },
}
_NUMBER = re.compile(
    r"(?P<int>[-+]?(?:0[xob][0-9a-fA-F_]+|[0-9][0-9_]*))"
    r"|[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?"
)


def read_scalar(text: str) -> Any:
    """The value of an unquoted scalar: Python's and torch's words and numbers; anything else is text.

    Raises ValueError for text that looks like a number but is not one, such as ``010``, or is out of range.
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    if match["int"]:
        if len(text) > DIGITS:
            raise ValueError(f"it has more than {DIGITS} digits; write an expression with a power")
        try:
            return int(text, 0)
        except ValueError:
            raise ValueError(
                "it is not a number in Python; remove the leading zero, or quote a text"
            ) from None
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("it is out of the range of float; write inf")
    return number


# ------------------------------------------------------------------------------------------------ reading

_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_BRACKET = re.compile(r"[(){}\[\]]")
Report = Callable[[Place, str, str], None]


@dataclass(slots=True)
class Reader:
    """Reads the nodes of one text strictly as plain data; each mistake goes to ``report``.

    ``values`` are the matrix values that replace ``${name}``, or None if nothing is replaced; ``first_line``
    is the number of lines above the text in its file.
    """

    text: str
    report: Report
    values: Mapping[str, str] | None = None
    used: set[str] = field(default_factory=set)
    first_line: int = 0

    def place(self, node: Node) -> Place:
        """Where a node begins."""
        return Place(self.first_line + node.start_mark.line + 1, node.start_mark.column + 1)

    def program(self, node: Node) -> Any:
        """A program: always text, with its lines as written."""
        if not isinstance(node, ScalarNode) or self.refused(node):
            return self.read(node)
        if _is_folded(node):
            self.report(
                self.place(node), "the lines of the program are folded into one", "write it below `run: |`"
            )
        if not _COMMENT.sub("", node.value).strip():
            self.report(self.place(node), "the program is empty", "write it below `run: |`")
        return self.text_of(node)

    def shown(self, node: Node) -> Any:
        """What a program prints: always text, with its lines as written."""
        if not isinstance(node, ScalarNode) or self.refused(node):
            return self.read(node)
        if not node.style and not node.value:
            self.report(self.place(node), "`prints` is empty", 'write `prints: ""` if nothing is printed')
        if _is_folded(node):
            self.report(
                self.place(node), "the printed lines are folded into one", "write them below `prints: |`"
            )
        return self.text_of(node)

    def read(self, node: Node) -> Any:
        """The plain data of a node; None if it is reported."""
        if self.refused(node):
            return None
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if isinstance(node, SequenceNode):
            return [self.read(item) for item in node.value]
        assert isinstance(node, MappingNode)
        return {key: self.read(value) for key, _, value in self.keyed(node)}

    def entries(self, node: MappingNode) -> dict[str, Node]:
        """Key -> value node of a mapping; repeated and broken keys are reported and left out."""
        return {key: value for key, _, value in self.keyed(node)}

    def keyed(self, node: MappingNode) -> Iterator[tuple[str, ScalarNode, Node]]:
        """Key, its node and the value's node of each entry."""
        known: dict[str, ScalarNode] = {}
        for key_node, value in node.value:
            if not isinstance(key_node, ScalarNode):
                self.report(self.place(key_node), "a key must be text", "quote it")
                continue
            if self.refused(key_node):
                continue
            key = self.text_of(key_node)
            if _unbalanced(key) and not key_node.style:
                self.report(self.place(key_node), *_half_of(key, bool(node.flow_style)))
                return
            if key == "<<":
                self.report(
                    self.place(key_node), "merge keys (<<) are not supported", "write the entries out"
                )
            elif key in known:
                hint = f"line {self.place(known[key]).line} has it already"
                self.report(self.place(key_node), f"the key {quoted(key)} is repeated", hint)
            else:
                known[key] = key_node
                yield key, key_node, value

    def text_of(self, node: ScalarNode) -> str:
        """A scalar's text as written, with its placeholders replaced."""
        value: str = node.value
        if not placeholder.holds(value):
            return value
        return placeholder.replace(
            value, self.values or {}, self.used, lambda name: self._missing(node, name)
        )

    def refused(self, node: Node) -> bool:
        """Report YAML's anchors, aliases and tags, which would allow two spellings of the same thing."""
        if node.tag:
            self.report(self.place(node), f"tags such as {node.tag} are not supported", "write plain values")
            return True
        if self.text.startswith(("&", "*"), node.start_mark.index):
            self.report(
                self.place(node), "anchors and aliases are not supported", "write the value out, or quote it"
            )
            return True
        return False

    def _missing(self, node: Node, name: str) -> None:
        if self.values is None:
            message = f"`${{{name}}}` is not replaced here"
            self.report(
                self.place(node),
                message,
                "a matrix replaces it in run, expect, raises, message, warns, prints, claimed",
            )
        else:
            hint = did_you_mean(name, self.values) if self.values else f"add `matrix: {{{name}: [...]}}`"
            self.report(self.place(node), f"the matrix has no `{name}`", hint)

    def _scalar(self, node: ScalarNode) -> Any:
        text = self.text_of(node)
        if node.style:
            return text
        if not text:
            self.report(
                self.place(node),
                "a value is missing here",
                "write null for None, or quotes for an empty text",
            )
            return None
        if text[0] in "[{'\"" and placeholder.holds(node.value):  # the value comes from the matrix
            try:
                root = compose(text)
                assert root is not None  # it begins with a bracket or a quote
                return Reader(text, lambda _, *said: self.report(self.place(node), *said)).read(root)
            except NotYAML as error:
                self.report(self.place(node), f"`{text}`: {error.message}", error.hint)
                return None
        try:
            return read_scalar(text)
        except ValueError as error:
            shown = text if len(text) <= LONGEST_NUMBER else f"{text[:20]}..."
            what, _, hint = str(error).partition("; ")
            self.report(self.place(node), f"`{shown}` {what.removeprefix('it ')}", hint)
            return None


def _half_of(key: str, in_braces: bool) -> tuple[str, str]:
    if in_braces:
        why, hint = "a comma inside braces separates entries", ", or use block form with one key on each line"
    else:
        why, hint = "a colon before a space ends it", ""
    return f"`{key}` is half of a key: {why}", f"quote the whole key{hint}"


def _unbalanced(text: str) -> bool:
    return _BRACKET.search(text) is not None and any(
        text.count(a) != text.count(b) for a, b in ("()", "[]", "{}")
    )


def _is_folded(node: ScalarNode) -> bool:
    """Whether YAML joins the lines of a text."""
    return node.style == ">" or (node.style != "|" and node.end_mark.line > node.start_mark.line)
