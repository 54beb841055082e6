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


class _Value(NamedTuple):
    label: str
    text: str


def cases(node: Node | None, reader: Reader) -> list[Case]:
    """The cases of the matrix at ``node``; none where it is broken, which the model's check reports."""
    if node is None:
        return [Case("", {})]
    if not isinstance(node, MappingNode):
        return []
    names: dict[str, list[_Value]] = {}
    for name, listed in reader.entries(node):
        if not name.isidentifier():
            reader.report(reader.place(listed), f"`{name}` is no name", "a matrix name is written `${name}`")
            return []
        names[name] = _values(name, listed, reader)
    if not names or not all(names.values()):
        return []
    if math.prod(map(len, names.values())) > MOST_CASES:
        reader.report(
            reader.place(node), f"the matrix has more than {MOST_CASES} cases", "split the scenario"
        )
        return []
    found: dict[str, Case] = {}
    for row in itertools.product(*names.values()):
        label = f"[{'-'.join(value.label for value in row)}]"
        if label in found:
            reader.report(
                reader.place(node), f"two cases are named `{label}`", "write a label without its hyphen"
            )
            return []
        found[label] = Case(label, dict(zip(names, (value.text for value in row), strict=True)))
    return list(found.values())


def _values(name: str, node: Node, reader: Reader) -> list[_Value]:
    values: dict[str, _Value] = {}
    for item in node.value if isinstance(node, SequenceNode) else [node]:
        labelled = reader.entries(item) if isinstance(item, MappingNode) else [("", item)]
        for label, value in labelled:
            if not isinstance(value, ScalarNode) or reader.refused(value):
                message = f"a value of `{name}` must be one text or number"
                reader.report(reader.place(value), message, "quote it to have it replaced as text")
                return []
            text = reader.text_of(value)
            shown = label or text
            if not (_LABEL if label else _VALUE).fullmatch(shown):
                if label:
                    message, hint = (
                        "cannot stand in an id",
                        "use letters, digits, dots, underscores and hyphens",
                    )
                else:
                    message, hint = (
                        "needs a label",
                        f"write `- {{some_label: {text}}}`: a case's id is made of it",
                    )
                reader.report(reader.place(value), f"`{shown}` of `{name}` {message}", hint)
                return []
            if shown in values:
                reader.report(
                    reader.place(value), f"`{name}` has two cases `{shown}`", "label one of them otherwise"
                )
                return []
            values[shown] = _Value(shown, text)
    return list(values.values())
