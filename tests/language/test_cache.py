"""The cache of a file is used for that file alone, as long as it is unchanged."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from conformance.language import cache
from conformance.language.load import load_file
from conformance.language.scenario import UNSET

FILE = """\
scenarios:
  - id: adds-up
    title: a sum
    matrix: {n: [1, 2]}
    run: x = torch.ones(${n})
    expect: {x.sum().item(): "${n}"}
  - id: broken
    title: a scenario with a mistake
    rum: x = 1
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    file = tmp_path / "sums.yaml"
    file.write_text(FILE)
    return file


def files(path: Path) -> list[Path]:
    return list((path.parent / "__pycache__").glob("*"))


def without_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on a file that is read again is an error."""
    monkeypatch.setitem(sys.modules, "conformance.language.load", None)


def test_what_is_kept_is_not_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scenarios and problems are the same, and what was not written is UNSET itself."""
    first = cache.load(path)
    assert first == load_file(path)
    assert first.problems and len(files(path)) == 1
    without_loading(monkeypatch)
    again = cache.load(path)
    assert again == first and again is not first
    assert again.scenarios[0].steps[0].own.raises is UNSET


def test_another_content_is_read(path: Path) -> None:
    """Also one of the same length, in the same moment."""
    cache.load(path)
    path.write_text(FILE.replace("a sum", "A SUM"))
    assert cache.load(path).scenarios[0].title == "A SUM"


def test_another_folder_is_another_file(path: Path, tmp_path: Path) -> None:
    """Areas and positions come from where it lies."""
    cache.load(path)
    shutil.copytree(tmp_path, tmp_path / "specs" / "other")
    copy = tmp_path / "specs" / "other" / path.name
    assert cache.load(copy) == load_file(copy)
    assert cache.load(copy).scenarios[0].area == "other"


def test_other_checks_read_it_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another version of the package found is not believed."""
    cache.load(path)
    monkeypatch.setattr(cache, "_checks", lambda: b"another")
    without_loading(monkeypatch)
    with pytest.raises(ImportError):
        cache.load(path)


@pytest.mark.parametrize(
    "damage", [lambda old: old[:-9], lambda old: old[:40] + b"no pickle", lambda old: b""]
)
def test_a_damaged_one_is_made_anew(path: Path, damage: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off, overwritten or empty."""
    cache.load(path)
    (file,) = files(path)
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    assert cache.load(path) == load_file(path)
    without_loading(monkeypatch)
    assert cache.load(path).scenarios


def test_it_is_not_written_where_bytecode_is_not(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -B` leaves nothing behind."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    cache.load(path)
    assert files(path) == []


def test_a_file_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    """As it is where nothing is kept."""
    (problem,) = cache.load(tmp_path / "none.yaml").problems
    assert "cannot be read" in problem.message
