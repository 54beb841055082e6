"""One class name means one thing in the suite's code."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import conformance

PACKAGE = Path(conformance.__file__).parent


def repeated_classes(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Each class name that is defined more than once, with the files that define it."""
    found: dict[str, list[str]] = {}
    for file, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(file)
    return {name: files for name, files in found.items() if len(files) > 1}


def test_no_class_name_is_used_twice() -> None:
    """The in-house engine is exempt: its classes have torch's names, which torch uses twice."""
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] != "engine"]
    sources = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in files}
    assert repeated_classes(sources) == {}


def test_a_repeated_class_name_is_found() -> None:
    """The check above can fail, for nested classes too."""
    sources = {"a.py": "class Step: ...", "b.py": "def f():\n    class Step: ...\n", "c.py": "class Row: ..."}
    assert repeated_classes(sources) == {"Step": ["a.py", "b.py"]}
