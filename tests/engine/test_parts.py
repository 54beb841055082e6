"""What the engine is made of: each file is in a part, and breadth does not grow."""

from __future__ import annotations

import re

import pytest

from conformance.commands.documenting import engine_parts
from conformance.report.engine_docs import lines_of_parts
from tests.test_layout import PACKAGE

ENGINE = PACKAGE / "engine"


def sources() -> dict[str, str]:
    """The engine's files."""
    return {path.relative_to(ENGINE).as_posix(): path.read_text() for path in ENGINE.rglob("*.py")}


def test_breadth_does_not_grow() -> None:
    """Breadth is mended, not grown: its lines are at most the number that parts.yaml allows."""
    parts = engine_parts()
    lines = lines_of_parts(parts, sources())
    assert sum(lines[part["name"]] for part in parts["breadth"]) <= parts["breadth_lines_at_most"]


def test_a_part_matches_files() -> None:
    """No part is left over from files that have moved."""
    assert {name for name, lines in lines_of_parts(engine_parts(), sources()).items() if not lines} == set()


def test_a_file_without_a_part() -> None:
    """The check above can fail."""
    with pytest.raises(LookupError, match=r"new/file\.py is in no part"):
        lines_of_parts({"core": [], "breadth": []}, {"new/file.py": "x = 1\n"})


def test_links_of_the_readme_lead_somewhere() -> None:
    """Files that move take the links to them along."""
    links = re.findall(r"\]\(([^)#:]+)\)", (ENGINE / "README.md").read_text())
    assert [link for link in links if not (ENGINE / link).exists()] == []


def test_functions_that_the_readme_names_are_there() -> None:
    """A function or class that a link names is defined in the file it leads to."""
    links = re.findall(r"\[`(\w+)`\]\(([\w/]+\.py)\)", (ENGINE / "README.md").read_text())
    assert len(links) > 15
    defined = {file: re.findall(r"(?:def|class) (\w+)", (ENGINE / file).read_text()) for _, file in links}
    assert [(name, file) for name, file in links if name not in defined[file]] == []
