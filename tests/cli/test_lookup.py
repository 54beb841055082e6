"""Scenarios by what a person types or pastes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import conformance.adapters.torch  # noqa: F401 - before anything takes modules away again
from conformance.check import locate
from conformance.check.library import Library
from conformance.check.lookup import NotFoundError, find
from conformance.cli import main

SPECS = """
topic: A topic
scenarios:
  - id: one-case
    title: one case
    run: a = torch.ones(2, requires_grad=True)
  - id: a-matrix
    title: a matrix
    matrix: {size: [1, 2], op: [exp, exp2]}
    run: a = torch.ones(${size}).${op}()
  - id: on-cuda
    title: somewhere else
    needs: [second_device]
    run: a = torch.ones(1).cuda()
"""
BROKEN = "scenarios:\n  - id: cannot-be-read\n    title: it\n    rum: a = 1\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small folder of specs, and another folder with one file."""
    area = tmp_path / "specs" / "area"
    area.mkdir(parents=True)
    (area / "topic.yaml").write_text(SPECS)
    (area / "broken.yaml").write_text(BROKEN)
    monkeypatch.setattr(locate, "specs", lambda: tmp_path / "specs")
    work = tmp_path / "work"
    work.mkdir()
    (work / "mine.yaml").write_text(SPECS.replace("one-case", "my-case").replace("a-matrix", "my-matrix"))
    (work / "services.yaml").write_text("services: {}\n")
    monkeypatch.chdir(work)
    return work


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("one-case", ["one-case"]),
        ("a-matrix", ["a-matrix[1-exp]", "a-matrix[1-exp2]", "a-matrix[2-exp]", "a-matrix[2-exp2]"]),
        ("a-matrix[2-exp]", ["a-matrix[2-exp]"]),
        ("a-matrix[2-exp2]", ["a-matrix[2-exp2]"]),
        ("a-matrix[2-exp-inhouse]", ["a-matrix[2-exp]"]),
        ("one-case[inhouse]", ["one-case"]),
        ("area/topic.yaml::one-case", ["one-case"]),
        ("specs/area/topic.yaml::a-matrix[1-exp2-some.engine]", ["a-matrix[1-exp2]"]),
        ("my-case", ["my-case"]),
        ("mine.yaml::my-case", ["my-case"]),
        ("FAILED mine.yaml::my-case - a is wrong on x, 1 on torch", ["my-case"]),
        ("mine.yaml::my-matrix[1-exp] PASSED      [ 33%]", ["my-matrix[1-exp]"]),
        ("../../somewhere/else/mine.yaml::my-case", ["my-case"]),
        ("../lib/python3/site-packages/conformance/_specs/area/topic.yaml::one-case", ["one-case"]),
        ("XFAIL ../specs/area/topic.yaml::a-matrix[2-exp2-some.engine] - bug: it", ["a-matrix[2-exp2]"]),
    ],
)
def test_what_is_meant(text: str, found: list[str]) -> None:
    """Ids, cases, and all that pytest prints, with the engine in its brackets too."""
    assert [scenario.id for scenario in find(text, Library())] == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one-cas", "there is no scenario one-cas; did you mean `one-case`?"),
        ("a-matrix[3-exp]", "there is no case a-matrix[3-exp]; there are a-matrix[1-exp], "),
        ("gone.yaml", "there is no file gone.yaml"),
        ("services.yaml", "services.yaml:1:1: the key `scenarios` is missing"),
        ("cannot-be-read", "cannot-be-read cannot be read:\n"),
    ],
)
def test_what_is_not_there(text: str, message: str) -> None:
    """An id that is not found, and why; a file that cannot be read, with its mistakes."""
    with pytest.raises(NotFoundError) as error:
        find(text, Library())
    assert str(error.value).startswith(message)


def test_a_file_is_all_its_scenarios() -> None:
    """In their order."""
    assert [scenario.id for scenario in find("mine.yaml", Library())][:2] == ["my-case", "my-matrix[1-exp]"]


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    """Plain text if the output is not a terminal; the exit status says whether the engine agrees."""
    assert main(["show", "one-case", "--engine", "torch"]) == 0
    shown = capsys.readouterr().out
    assert "6 | a = torch.ones(2, requires_grad=True)" in shown and "\x1b" not in shown
    assert main(["show", "gone"]) == 2
    assert "there is no scenario gone" in capsys.readouterr().err


def test_show_takes_a_recording_for_torch(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torch need not be installed then; what the recording lacks is named."""
    main(["show", "my-case"])
    live = capsys.readouterr().out
    assert main(["record", "-o", "r.jsonl", "--in", "mine.yaml"]) == 0
    capsys.readouterr()
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert main(["show", "my-case"]) == 2
    assert "torch is not installed, and the suite's recording" in capsys.readouterr().err
    assert main(["show", "my-case", "--reference", "r.jsonl"]) == 0
    assert capsys.readouterr().out == live
    assert main(["show", "on-cuda", "--reference", "r.jsonl"]) == 2
    assert "on-cuda needs second_device, which" in capsys.readouterr().err
    monkeypatch.undo()


def test_show_says_what_a_recording_lacks(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A scenario that has changed since, and a file that is not a recording."""
    assert main(["record", "-o", "r.jsonl", "--in", "mine.yaml"]) == 0
    path = here / "mine.yaml"
    path.write_text(path.read_text().replace("ones(2", "ones(3"))
    assert main(["show", "my-case", "--engine", "torch", "--reference", "r.jsonl"]) == 2
    assert "the trace of my-case in r.jsonl is stale" in capsys.readouterr().err
    assert main(["show", "my-case", "--reference", str(path)]) == 2
    assert "does not begin like a recording" in capsys.readouterr().err


def test_show_is_in_colour_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same text, with the program's words in colour."""
    main(["show", "one-case", "--engine", "torch"])
    plain = capsys.readouterr().out
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    main(["show", "one-case", "--engine", "torch"])
    coloured = capsys.readouterr().out
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_show_of_several_cases(capsys: pytest.CaptureFixture[str]) -> None:
    """One below the other."""
    main(["show", "a-matrix", "--engine", "torch"])
    assert capsys.readouterr().out.count("  a matrix\n") == 4


def test_what_is_not_on_this_machine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Rather than shown as an error of the program."""
    assert main(["show", "on-cuda", "--engine", "torch"]) == 2
    assert main(["graph", "on-cuda"]) == 2
    assert (
        capsys.readouterr().err.count(
            "on-cuda needs second_device, which torch does not find on this machine"
        )
        == 2
    )
