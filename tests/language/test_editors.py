"""What editors need: the schema, named in the first line of every file of scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.check import locate
from conformance.check.locate import is_scenario_file
from conformance.language import schema

FILES = [path for path in locate.scenario_files([locate.specs()]) if is_scenario_file(path)]
COMMENT = "# yaml-language-server: $schema="


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_first_line_names_the_schema(path: Path) -> None:
    """Relative to the file, so that it is found wherever the checkout is."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    assert first.startswith(COMMENT)
    assert (path.parent / first.removeprefix(COMMENT)).resolve() == schema.PATH.resolve()
