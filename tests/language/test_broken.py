"""Every rule of the loader: a file that breaks it, and the one thing that is said about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.language.load import load_file

FILES = sorted(Path(__file__).with_name("broken").glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_broken_file_says_what_and_where(path: Path) -> None:
    """The comments at the end of a broken file are its problems: line:column: message; hint."""
    expected = [
        line.removeprefix("# -> ") for line in path.read_text().splitlines() if line.startswith("# -> ")
    ]
    found = [str(problem).removeprefix(f"{path}:") for problem in load_file(path).problems]
    assert found == expected
    assert expected


def test_broken_scenario_leaves_the_others() -> None:
    """What is wrong in one scenario takes no other with it, even where it is not YAML."""
    for name in ("one_broken_among_three", "unclosed_quote"):
        loaded = load_file(Path(__file__).parent / "broken" / f"{name}.yaml")
        assert [scenario.id for scenario in loaded.scenarios] == ["a", "c"]
        assert [problem.scenario for problem in loaded.problems] == ["b"]
        assert [scenario.position.line for scenario in loaded.scenarios] == [3, 9]
