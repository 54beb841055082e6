"""The recipes of CONTRIBUTING.md work: each is followed on a copy of the code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import conformance

ROOT = Path(conformance.__file__).parent.parent
PAGE = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
ADAPTERS = (ROOT / "conformance" / "adapters" / "README.md").read_text(encoding="utf-8")
SCENARIO = "scenarios:\n  - id: {id}\n    title: {id}\n    run: |\n      {run}\n"


def blocks(page: str, heading: str) -> list[tuple[str, str]]:
    """The fenced blocks of one section: language and text."""
    (section,) = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    return re.findall(r"^```(\w*)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The suite's code, to be changed, and an empty folder for the specs."""
    shutil.copytree(ROOT / "conformance", tmp_path / "conformance", ignore=shutil.ignore_patterns("*.gz"))
    (tmp_path / "specs").mkdir()
    return tmp_path


def follow(copy: Path, heading: str) -> None:
    """Write the files and apply the changes that a section shows."""
    for kind, text in blocks(PAGE, heading):
        if kind == "diff":
            apply(copy, text)
        elif text.startswith("# ") and kind in ("python", "yaml"):
            path = copy / text[2:].partition("\n")[0]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.partition("\n")[2], encoding="utf-8")


def apply(folder: Path, diff: str) -> None:
    """Replace the old lines of each hunk, which must be in one place of their file, with its new lines."""
    for file, hunks in re.findall(r"^--- (.*)\n((?:(?!--- ).*\n)+)", diff, re.MULTILINE):
        path = folder / file
        for hunk in re.split(r"^@@\n", hunks, flags=re.MULTILINE):
            lines = hunk.splitlines(keepends=True)
            old = "".join(line[1:] for line in lines if line[0] in " -")
            source = path.read_text(encoding="utf-8")
            assert source.count(old) == 1, f"{file} does not have in one place:\n{old}"
            path.write_text(source.replace(old, "".join(line[1:] for line in lines if line[0] in " +")))


def run(copy: Path, *arguments: str, returns: int = 0) -> str:
    """The output of Python with the changed code."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "COLUMNS": "120"},  # in front of the installed code
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == returns, done.stdout + done.stderr
    return done.stdout


def scenario(copy: Path, ident: str, *lines: str) -> str:
    """A scenario file in the copy."""
    (copy / f"{ident}.yaml").write_text(SCENARIO.format(id=ident, run="\n      ".join(lines)))
    return f"{ident}.yaml"


def test_a_spec_file(copy: Path) -> None:
    """The file is clean, and its scenario agrees."""
    follow(copy, "Add a spec file")
    file = "specs/autograd/hooks/hook_results.yaml"
    run(copy, "conformance", "lint", "--deep", file)
    assert "1 agree" in run(copy, "pytest", file)


def test_an_adapter(copy: Path) -> None:
    """The engine is found by the name that is registered, and graded."""
    files = {text[2:].partition("\n")[0]: text for _, text in blocks(ADAPTERS, "An adapter")}
    (copy / "scalars.py").write_text(files["scalars.py"])
    adapter = copy / "conformance" / "adapters" / "scalars.py"
    adapter.write_text(f"{files['scalars_adapter.py']}\nengine = ValueEngine()\n")
    follow(copy, "Add an adapter")
    file = scenario(copy, "square", "a = torch.tensor([3.], requires_grad=True)", "(a * a).backward()")
    assert "scalars 0.1 compared with torch" in (output := run(copy, "pytest", file, "--engine", "scalars"))
    assert "1 agree" in output


def test_a_facet(copy: Path) -> None:
    """It is compared, and shown where it is set."""
    follow(copy, "Add a facet")
    file = scenario(
        copy, "inference", "with torch.inference_mode():", "    a = torch.ones(2)", "b = torch.ones(2)"
    )
    assert "1 agree" in run(copy, "pytest", file)
    shown = run(copy, "conformance", "show", file)
    assert [line.split()[0] for line in shown.splitlines() if " is_inference" in line] == ["a"]


def test_a_key(copy: Path) -> None:
    """The loader accepts it, the schema has it, and it was unknown before."""
    file = scenario(copy, "square", "a = torch.tensor([3.], requires_grad=True)", "(a * a).backward()")
    (copy / file).write_text((copy / file).read_text() + "    note: a remark\n")
    assert "note" in run(copy, "conformance", "lint", file, returns=1)
    follow(copy, "Add a key to the scenario language")
    assert "1 agree" in run(copy, "pytest", file)
    run(copy, "conformance.language.schema")
    schema = json.loads((copy / "conformance" / "language" / "schema.json").read_text())
    assert schema["$defs"]["ScenarioModel"]["properties"]["note"]["description"].startswith("A remark")


def test_a_command(copy: Path) -> None:
    """It is called by its name, and `--help` lists it."""
    follow(copy, "Add a command")
    file = scenario(copy, "square", "a = torch.tensor([3.], requires_grad=True)", "(a * a).backward()")
    assert run(copy, "conformance", "titles", file) == "square: square\n"
    assert "print the titles of scenarios" in run(copy, "conformance", "--help")


def test_every_recipe_is_followed() -> None:
    """Each section with code has a test here; the engine's recipe is tested with its own page."""
    headings = re.findall(r"^## (Add .*)$", PAGE, re.MULTILINE)
    own = Path(__file__).read_text(encoding="utf-8")
    assert [each for each in headings if blocks(PAGE, each) and f'follow(copy, "{each}")' not in own] == []
