"""Programs that are kept are those that were compiled, and are believed while their file is the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.language.load import load_file
from conformance.language.scenario import Scenario
from conformance.runner import bytecode, program
from conformance.runner.bytecode import programs_of, write_programs
from conformance.runner.program import MARSHALLED, compile_step, marshalled, unmarshalled

FILE = """\
scenarios:
  - id: loop
    title: a loop, an assertion, a store and an import
    run: |
      import torch.nn as nn
      for i in range(2):
        a = torch.tensor(i)
        assert a == i
      a.requires_grad = False
      def each():
        yield a
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(bytecode, "_files", {})
    file = tmp_path / "loops.yaml"
    file.write_text(FILE)
    _forget()
    yield file
    _forget()


def _forget() -> None:
    """What another process would not know."""
    MARSHALLED.clear()
    compile_step.cache_clear()


def _scenario(path: Path) -> Scenario:
    return load_file(path).scenarios[0]


def _compiled_by_another_process(path: Path) -> None:
    programs_of(_scenario(path))
    write_programs()
    _forget()


def _refusing(source: str) -> None:
    raise AssertionError(f"compiled again: {source}")


def test_a_program_comes_back_as_it_was(path: Path) -> None:
    """Code, positions and loops, and the lines of errors in it."""
    one = compile_step(_scenario(path).steps[0].run)
    assert one.loops == 1 and one.asserts and one.generators and len(one.places) == 6
    assert unmarshalled(marshalled(one)) == one


def test_what_is_kept_is_not_compiled_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is stored next to the file, and gives the same program."""
    first = programs_of(_scenario(path))
    write_programs()
    _forget()
    assert [each.suffix for each in (path.parent / "__pycache__").iterdir()] == [".programs"]
    monkeypatch.setattr(program, "_compile", _refusing)
    assert programs_of(_scenario(path)) == first


def test_a_file_that_has_changed_is_compiled_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache does not grow with every change."""
    _compiled_by_another_process(path)
    path.write_text(FILE.replace("range(2)", "range(3)"))
    programs_of(_scenario(path))
    write_programs()
    _forget()
    programs_of(_scenario(path))
    assert len(MARSHALLED) == 1


def test_what_is_damaged_is_compiled_again(path: Path) -> None:
    """Bytecode that is cut short could end the interpreter."""
    _compiled_by_another_process(path)
    (kept,) = (path.parent / "__pycache__").iterdir()
    kept.write_bytes(kept.read_bytes()[:-20])
    (one,) = programs_of(_scenario(path))
    assert one == program._compile(_scenario(path).steps[0].run)


def test_what_another_process_has_kept_since_stays(path: Path) -> None:
    """As workers do that run different scenarios of one file."""
    path.write_text(FILE + FILE.partition("\n")[2].replace("loop", "more").replace("range(2)", "range(5)"))
    one, other = load_file(path).scenarios
    programs_of(one)
    mine = dict(bytecode._files)
    bytecode._files.clear()
    _forget()
    programs_of(other)
    write_programs()
    bytecode._files.update(mine)
    write_programs()
    _forget()
    programs_of(one)
    assert set(MARSHALLED) == {one.steps[0].run, other.steps[0].run}


def test_nothing_is_written_where_bytecode_is_not(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under PYTHONDONTWRITEBYTECODE."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    _compiled_by_another_process(path)
    assert not (path.parent / "__pycache__").exists()
