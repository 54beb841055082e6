"""Programs as text: marked, and as snippets that run where they are pasted."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.adapters.registry import find
from conformance.adapters.torch import engine as torch_engine
from conformance.language.load import load_text
from conformance.language.scenario import Scenario
from conformance.report.program import marked, snippet
from conformance.runner.engine import Engine
from conformance.runner.trace import Statement

TEXT = """
scenarios:
  - id: steps
    title: a second pass raises
    steps:
      - run: |
          from torch import nn as layers
          import torch.nn.functional as G
          m = layers.Linear(2, 1)
          for i in range(2):
              y = m(torch.ones(2))
              y = G.relu(y)
          z = y.sum()
          z.backward()
      - run: z.backward()
        raises: RuntimeError
      - run: n = nn.Identity()
"""


def scenario() -> Scenario:
    """The scenario of the text."""
    (loaded,) = load_text(TEXT, "mine.yaml").scenarios
    return loaded


def run(program: str) -> str:
    """What a program prints in a namespace of its own."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(program, {})
    return out.getvalue()


def test_marked() -> None:
    """Lines carry their numbers in the file; steps stand apart; one line is marked."""
    lines = list(marked(scenario(), step=1, line=1))
    assert lines[0] == "   7 | from torch import nn as layers"
    assert lines[7:] == [
        "  14 | z.backward()",
        "     |",
        "> 15 | z.backward()",
        "     |",
        "  17 | n = nn.Identity()",
    ]


def test_a_snippet_runs_as_it_is() -> None:
    """A block is kept whole; numbers are drawn as in the scenario; an error declared before is caught."""
    inside_the_loop = snippet(scenario(), torch_engine, Statement(0, 5, (1,)), "y.shape")
    assert inside_the_loop.splitlines()[:2] == ["import torch", "torch.manual_seed(0)"]
    assert run(inside_the_loop) == "torch.Size([1])\n"
    after_the_error = snippet(scenario(), torch_engine, Statement(2, 1), "n")
    assert "nn = torch.nn" in after_the_error.splitlines()
    printed = run(after_the_error).splitlines()
    assert printed[0].startswith("Trying to backward through the graph a second time")
    assert printed[1] == "Identity()"


def test_a_snippet_ends_with_the_error_it_is_about() -> None:
    """Where the error is what differs, nothing is printed after it and nothing catches it."""
    lines = snippet(scenario(), torch_engine, Statement(1, 1), "").splitlines()
    assert lines[-1] == "z.backward()"
    assert "try:" not in lines


def test_a_snippet_for_another_engine() -> None:
    """`torch` is the engine there, and so is what a program imports from torch."""
    engine = ModuleEngine("other", SimpleNamespace(Tensor=torch_engine.torch.Tensor))
    lines = _snippet(engine).splitlines()
    assert lines[0] == "from conformance.adapters.registry import find; torch = find('other').torch"
    assert "layers = torch.nn" in lines
    assert "G = torch.nn.functional" in lines
    named = ModuleEngine("json", __import__("json"))
    assert _snippet(named).splitlines()[0] == "import json as torch"


def test_a_snippet_finds_an_adapter_as_it_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its class where that made it; else its class may want arguments."""
    (tmp_path / "small.py").write_text(
        "class Own:\n"
        "    name, version, claims, torch = 'own', '1', {'values'}, object()\n"
        "    def observe(self, value): return None\n"
        "made = Own()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert _snippet(find("small:Own")).splitlines()[0] == "from small import Own; torch = Own().torch"
    assert _snippet(find("small:made")).splitlines()[0].endswith("torch = find('small:made').torch")


def _snippet(engine: Engine) -> str:
    return snippet(scenario(), engine, Statement(0, 8), "z")


def test_the_languages_own_words() -> None:
    """A snippet contains their definitions in Python."""
    text = (
        "scenarios:\n  - id: words\n    title: words\n    run: |\n      a = torch.ones(2)\n      b = deepcopy(a)\n"
        "      r = weakref(b)\n      del b\n      collect()\n"
        "      gone = r() is None and refuses(a.view, 3)\n"
    )
    (loaded,) = load_text(text, "mine.yaml").scenarios
    assert run(snippet(loaded, torch_engine, Statement(0, 6), "gone")) == "True\n"
