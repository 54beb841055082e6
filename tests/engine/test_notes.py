"""The Notes of the engine: each is written once and cited at least once, and each citation names an existing Note."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import conformance

PACKAGE = Path(conformance.__file__).parent
ENGINE = PACKAGE / "engine"
_NOTE = re.compile(r"\bNote\s+(?:#\s+)?\[([^\]]+)\](:?)")
_START_OF_LINE = re.compile(r'\s*(?:#\s*)?(?:"""\s*)?')


class Mention(NamedTuple):
    """A Note's name in a source file; a definition begins a line and is followed by a colon."""

    name: str
    place: str
    is_definition: bool


def mentions(file: str, source: str) -> Iterator[Mention]:
    """All mentions of Notes in a file; a name may be broken over two lines."""
    for found in _NOTE.finditer(source):
        before = source[source.rfind("\n", 0, found.start()) + 1 : found.start()]
        name = " ".join(found[1].replace("#", " ").split())
        line = source.count("\n", 0, found.start()) + 1
        is_definition = bool(found[2]) and _START_OF_LINE.fullmatch(before) is not None
        yield Mention(name, f"{file}:{line}", is_definition)


def problems(found: Iterable[Mention]) -> list[str]:
    """What is wrong with the Notes: written twice, never cited, or cited but not written."""
    written: dict[str, list[str]] = defaultdict(list)
    cited: dict[str, list[str]] = defaultdict(list)
    for each in found:
        (written if each.is_definition else cited)[each.name].append(each.place)
    return [
        *(f"written twice: {name}: {places}" for name, places in written.items() if len(places) > 1),
        *(f"never cited: {name}: {places}" for name, places in written.items() if name not in cited),
        *(f"does not exist: {name}: {places}" for name, places in cited.items() if name not in written),
    ]


def test_notes_are_written_once_and_cited() -> None:
    """In all modules of the engine."""
    found = [
        each
        for path in sorted(ENGINE.rglob("*.py"))
        for each in mentions(path.relative_to(ENGINE).as_posix(), path.read_text(encoding="utf-8"))
    ]
    assert sum(each.is_definition for each in found) > 50
    assert problems(found) == []


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ('"""Note [A]: text."""\n# see Note [A]\n\n# Note [A]: again\n', "written twice: A"),
        ('"""Note [A]: text."""\n', "never cited: A"),
        ("x = 1  # see Note [A]\n", "does not exist: A"),
        ('"""Note [A b]: text.\n\nSee Note [A\nb] and Note [C].\n"""\n', "does not exist: C"),
    ],
)
def test_a_problem_is_found(source: str, problem: str) -> None:
    """Each kind of problem; names that are broken over two lines are read."""
    (found,) = problems(mentions("a.py", source))
    assert found.startswith(problem)
