"""The Markdown files' made parts."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest

import conformance
from conformance.cli import main
from conformance.commands import documenting
from conformance.language.load import load_text
from conformance.report import docs, engine_docs, subjects
from conformance.report.matrix import Grades, Matrix
from conformance.report.share import Cell


def test_the_markdown_files_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    """`conformance docs` regenerates them."""
    assert main(["docs", "--check"]) == 0, f"{capsys.readouterr().out}run `conformance docs`"


@pytest.mark.parametrize("folder", ["engine"])
def test_examples_run(folder: str) -> None:
    """Each block of Python in the READMEs of the code runs, in an interpreter of its own."""
    package = Path(conformance.__file__).parent
    text = (package / folder / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert examples
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(examples)],
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr


def test_a_file_that_is_not_current_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between its marks alone; with --check it is only told."""
    file = tmp_path / "README.md"
    file.write_text("# Title\n<!-- made: facets -->\nold\n<!-- /made -->\nthe rest\n")
    monkeypatch.setattr(documenting, "files", lambda: iter([file]))
    assert main(["docs", "--check"]) == 1
    assert "is out of date" in capsys.readouterr().out and "old" in file.read_text()
    assert main(["docs"]) == 0
    assert file.read_text().startswith("# Title\n<!-- made: facets -->\n| group | facets |\n")
    assert file.read_text().endswith("<!-- /made -->\nthe rest\n")
    assert main(["docs", "--check"]) == 0


def test_a_part_that_nothing_makes_is_told() -> None:
    """With those that there are."""
    with pytest.raises(docs.UnknownPartError, match="no part facet; the parts are keys"):
        docs.filled("<!-- made: facet -->\n<!-- /made -->", {"keys": docs.keys})


def test_each_folder_of_the_specs_has_a_line() -> None:
    """The index lists all of them; a folder without a line is an error, as is a line without a folder."""
    loaded = load_text("scenarios:\n  - {id: one, title: one, run: a = 1}\n", "leaf.yaml").scenarios
    described = subjects.subjects({"leaf": "leaves"})
    assert subjects.index(described, loaded).splitlines()[2:] == ["| [`leaf`](leaf) | leaves |"]
    with pytest.raises(subjects.SubjectError, match=r"differ: leaf$"):
        subjects.index({}, loaded)
    with pytest.raises(subjects.SubjectError, match=r"differ: views$"):
        subjects.index(described | subjects.subjects({"views": "views"}), loaded)


def test_a_rule_is_shown_by_a_scenario() -> None:
    """As its file has it, up to the next one; a scenario that the folder lacks is an error."""
    described = subjects.subjects(
        {"autograd/leaf": {"about": "leaves", "rule": "It is one.", "shows": "one"}}
    )
    text = "topic: leaves\nscenarios:\n  - id: one\n    run: a = 1\n\n  - id: two\n    run: a = 2\n"
    areas = (("autograd/leaf", Cell(10, 4, 3, 0, ())), ("autograd/views", Cell(1, 1, 1, 0, ())))
    other = Grades("none", Cell(10, 0, 0, 0, ()), (("autograd/leaf", Cell(10, 0, 0, 0, ())),), ())
    measured = Matrix("torch", (Grades("part", Cell(11, 5, 4, 0, ()), areas, ()), other))
    sources = {"autograd/views/a.yaml": text, "autograd/leaf/a.yaml": text}
    assert subjects.rules(described, sources, measured).splitlines() == [
        *("## leaf", "", "*leaves*", "", "It is one.", "", "From [`leaf/a.yaml`](leaf/a.yaml):", ""),
        *("```yaml", "scenarios:", "  - id: one", "    run: a = 1", "```", ""),
        "Scenarios of this folder that agree with torch, of those that an engine supports: part 75% of 4 (of 10).",
    ]
    with pytest.raises(subjects.SubjectError, match="no file in autograd/leaf has the scenario one"):
        subjects.rules(described, {"autograd/views/a.yaml": text}, measured)


def test_faults_are_counted() -> None:
    """In a table with a last row for all."""
    assert docs.faults(["b", "a", "b"]).splitlines()[2:] == ["| a | 1 |", "| b | 2 |", "| all | 3 |"]


def test_commands_are_those_of_the_parser() -> None:
    """With the words that `--help` has for them."""
    parser = argparse.ArgumentParser()
    parser.add_subparsers().add_parser("do", help="does it | all")
    lines = docs.commands(parser, lambda names: {"A job": tuple(names)}).splitlines()
    assert (lines[0], lines[4:]) == ("**A job**", ["| `conformance do` | does it \\| all |"])


def test_notes_are_found_where_they_stand() -> None:
    """In docstrings and comments; where one is only named, it does not stand."""
    source = '"""See Note [A].\n\nNote [A]: the first\nsentence. And more.\n"""\n'
    source += "# Note [B]: in a\n# comment; yes.\n\nx = 1\n"
    assert engine_docs.notes({"a.py": source}).splitlines()[2:] == [
        "| A | [`a.py`](a.py) | the first sentence. |",
        "| B | [`a.py`](a.py) | in a comment |",
    ]
