"""The cases of a matrix: every combination of its values, with a label."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from yaml import MappingNode, Node, ScalarNode, SequenceNode

from conformance.language.document import Reader

MOST_CASES = 5000
_VALUE = re.compile(r"[A-Za-z0-9._]+")
_LABEL = re.compile(r"[A-Za-z0-9._-]+")


NodeReport = Callable[[Node, str, str], None]


class Case(NamedTuple):
    """One combination: its label ``[sin-float32]`` (empty without a matrix), and the text for each name."""

    label: str
    values: dict[str, str]


def cases(node: Node | None, reader: Reader) -> list[Case]:
    """The cases of the matrix at ``node``.

    A broken matrix is reported. It then has one case with the first readable value of each name, so that the rest of
    the scenario is checked too, or no case if a name has none.
    """
    if node is None:
        return [Case("", {})]
    if not isinstance(node, MappingNode) or not node.value:
        reader.report(
            reader.place(node), "`matrix` must be a mapping", "write `name: [first, second]` below it"
        )
        return []
    broken = False

    def report(at: Node, message: str, hint: str) -> None:
        nonlocal broken
        broken = True
        reader.report(reader.place(at), message, hint)

    names = dict(_names(node, reader, report))
    if not all(names.values()):
        return []
    found = _combined(node, names, report)
    return found[:1] if broken else found


def _names(node: MappingNode, reader: Reader, report: NodeReport) -> Iterator[tuple[str, dict[str, str]]]:
    """Each name with its values: label -> text."""
    for name, listed in reader.entries(node).items():
        if name.isidentifier():
            yield name, _values(name, listed, reader, report)
        else:
            report(
                listed,
                f"`{name}` is not a name",
                "it must be an identifier, since `${name}` stands where it is replaced",
            )


def _values(name: str, node: Node, reader: Reader, report: NodeReport) -> dict[str, str]:
    """The values of a name, label -> text, in order; a scalar is its own label."""
    values: dict[str, str] = {}
    if isinstance(node, SequenceNode) and not node.value:
        report(node, f"`{name}` has no values", "write a list of them")
    for item in node.value if isinstance(node, SequenceNode) else [node]:
        entries = reader.entries(item) if isinstance(item, MappingNode) else {"": item}
        for label, value in entries.items():
            if not isinstance(value, ScalarNode) or reader.refused(value):
                message = f"a value of `{name}` must be one text or number"
                report(value, message, "quote it: it is inserted as text")
                continue
            text = reader.text_of(value)
            if not label and not _VALUE.fullmatch(text):
                hint = f"write `- {{some_label: {text}}}`: the id of a case consists of labels"
                report(value, f"`{text}` of `{name}` needs a label", hint)
            elif label and not _LABEL.fullmatch(label):
                hint = "use letters, digits, dots, underscores and hyphens"
                report(value, f"the label `{label}` of `{name}` cannot stand in an id", hint)
            elif (label or text) in values:
                report(value, f"`{name}` has two values `{label or text}`", "give one of them another label")
            values[label or text] = text
    return values


def _combined(node: Node, names: dict[str, dict[str, str]], report: NodeReport) -> list[Case]:
    """Every combination of one value per name; too many cases and repeated labels are reported."""
    rows: Iterable[tuple[tuple[str, str], ...]] = itertools.product(
        *(values.items() for values in names.values())
    )
    if math.prod(map(len, names.values())) > MOST_CASES:
        report(node, f"the matrix has more than {MOST_CASES} cases", "split the scenario")
        rows = itertools.islice(rows, 1)
    found: dict[str, Case] = {}
    for row in rows:
        label = f"[{'-'.join(label for label, _ in row)}]"
        if label in found:
            report(node, f"two cases are named `{label}`", "write a label without its hyphen")
            break
        found[label] = Case(label, dict(zip(names, (text for _, text in row), strict=True)))
    return list(found.values())
