"""Where an engine raised an error: its own frames, none of the suite's."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapters.inhouse import engine
from conformance.report.frames import as_text
from conformance.runner.execute import run
from conformance.runner.trace import Frame, Trace
from tests.runner.make import scenario

PROGRAM = "a = torch.ones(2, requires_grad=True)\nb = a * 2\nb.backward()"


def test_frames_are_the_engines() -> None:
    """Below the program's own; not compared, and only in what a process sends, not in a recording."""
    trace = run(scenario(PROGRAM), engine)
    frames = trace.moments[-1].frames
    assert frames and all("/conformance/engine/" in each.file for each in frames)
    assert Trace.from_json(trace.to_json(frames=True)).moments[-1].frames == frames
    recorded = Trace.from_json(trace.to_json())
    assert recorded == trace and recorded.moments[-1].frames == ()


def test_they_are_shown_as_python_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the source where it is at hand, below the packages or the current folder."""
    file = tmp_path / "lib" / "site-packages" / "mine" / "core.py"
    file.parent.mkdir(parents=True)
    file.write_text("def f():\n    raise ValueError\n")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "local.py").write_text("f()\n")
    frames = [
        Frame(str(tmp_path / "local.py"), 1, "run"),
        Frame(str(file), 2, "f"),
        Frame("gone.py", 7, "g"),
    ]
    assert as_text(frames) == (
        'File "local.py", line 1, in run\n  f()\n'
        'File "mine/core.py", line 2, in f\n  raise ValueError\n'
        'File "gone.py", line 7, in g'
    )


RAISING = """
import torch as _torch
Tensor = _torch.Tensor

def tensor(*values, **options):
    return _checked(_torch.tensor(*values, **options))

def _checked(made):
    raise RuntimeError("no tensors today")
"""


def test_verbose_failures_have_them(pytester: pytest.Pytester) -> None:
    """With ``-v`` only."""
    pytester.makepyfile(raising=RAISING)
    pytester.makefile(".yaml", mine="scenarios:\n  - {id: a, title: a one, run: 'a = torch.tensor([1.])'}\n")
    done = pytester.runpytest("--engine", "raising", "--engine-here", "-v")
    done.stdout.fnmatch_lines(
        [
            "raising raised it in:",
            '  File "raising.py", line 5, in tensor',
            "    return _checked(_torch.tensor(*values, **options))",
            '  File "raising.py", line 8, in _checked',
            "  differs: the engine does something else in a facet that it claims",
        ]
    )
    assert "raised it in" not in pytester.runpytest("--engine", "raising", "--engine-here").stdout.str()
