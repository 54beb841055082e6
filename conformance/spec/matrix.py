"""The cases of a matrix: every combination of its values, each with its label."""

from __future__ import annotations

import itertools
import math
import re
from typing import NamedTuple

from yaml import MappingNode, Node, ScalarNode, SequenceNode

from conformance.spec.document import Reader

MOST_CASES = 5000
_VALUE = re.compile(r"[A-Za-z0-9._]+")
_LABEL = re.compile(r"[A-Za-z0-9._-]+")


class Case(NamedTuple):
    """One combination: ``[sin-float32]``, or nothing without a matrix, and the text for each name."""

    label: str
    values: dict[str, str]


class _BrokenError(Exception):
    """The matrix cannot be read: node, message, hint."""


def cases(node: Node | None, reader: Reader) -> list[Case]:
    """The cases of the matrix at ``node``; none where it is broken, which is reported."""
    if node is None:
        return [Case("", {})]
    try:
        return _combined(node, _names(node, reader))
    except _BrokenError as error:
        at, message, hint = error.args
        reader.report(reader.place(at), message, hint)
        return []


def _names(node: Node, reader: Reader) -> dict[str, dict[str, str]]:
    """Name -> label -> text."""
    if not isinstance(node, MappingNode) or not node.value:
        raise _BrokenError(node, "`matrix` must be a mapping", "write `name: [first, second]` below it")
    names = {}
    for name, listed in reader.entries(node).items():
        if not name.isidentifier():
            raise _BrokenError(listed, f"`{name}` is no name", "it is written `${name}` where it is replaced")
        names[name] = _values(name, listed, reader)
    return names


def _values(name: str, node: Node, reader: Reader) -> dict[str, str]:
    """Label -> text, in order; a scalar is its own label."""
    values: dict[str, str] = {}
    for item in node.value if isinstance(node, SequenceNode) else [node]:
        entries = reader.entries(item) if isinstance(item, MappingNode) else {"": item}
        for label, value in entries.items():
            if not isinstance(value, ScalarNode) or reader.refused(value):
                message = f"a value of `{name}` must be one text or number"
                raise _BrokenError(value, message, "quote it: it is replaced as text")
            text = reader.text_of(value)
            if not label and not _VALUE.fullmatch(text):
                hint = f"write `- {{some_label: {text}}}`: a case's id is made of labels"
                raise _BrokenError(value, f"`{text}` of `{name}` needs a label", hint)
            if label and not _LABEL.fullmatch(label):
                hint = "use letters, digits, dots, underscores and hyphens"
                raise _BrokenError(value, f"the label `{label}` of `{name}` cannot stand in an id", hint)
            if (label or text) in values:
                message = f"`{name}` has two values `{label or text}`"
                raise _BrokenError(value, message, "label one of them otherwise")
            values[label or text] = text
    if not values:
        raise _BrokenError(node, f"`{name}` has no values", "write a list of them")
    return values


def _combined(node: Node, names: dict[str, dict[str, str]]) -> list[Case]:
    """Every combination of one value for each name."""
    if math.prod(map(len, names.values())) > MOST_CASES:
        raise _BrokenError(node, f"the matrix has more than {MOST_CASES} cases", "split the scenario")
    found: dict[str, Case] = {}
    for row in itertools.product(*(values.items() for values in names.values())):
        label = f"[{'-'.join(label for label, _ in row)}]"
        if label in found:
            hint = "write a label without its hyphen"
            raise _BrokenError(node, f"two cases are named `{label}`", hint)
        found[label] = Case(label, dict(zip(names, (text for _, text in row), strict=True)))
    return list(found.values())
