"""What an engine's author types: what is wired, what is to be declared, recordings, the matrix."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import conformance.adapters.torch  # noqa: F401 - before anything takes modules away again
from conformance.check import locate
from conformance.cli import main
from tests.plugin.conftest import QUICK

SPECS = """
scenarios:
  - id: squares
    title: backward fills the leaf's grad
    tier: core
    run: |
      a = torch.tensor([3.], requires_grad=True)
      b = a * a
      b.backward()
  - id: sines
    title: the gradient passes through a sine
    run: |
      a = torch.tensor([3.], requires_grad=True)
      torch.sin(a).backward()
  - id: constants
    title: a constant is a leaf
    run: a = torch.tensor([3.])
"""

HALVING = """
import torch as _torch

from conformance.adapters.module import ModuleEngine


class Halving:
    Tensor = _torch.Tensor

    @staticmethod
    def tensor(values, **options):
        made = _torch.tensor(values, **options)
        if made.requires_grad:
            made.register_hook(lambda grad: grad / 2)
        return made


engine = ModuleEngine("halving", Halving, version="1", claims=("values",))
engine.divergences = "halving.yaml"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Scenarios and an engine that halves gradients and knows no sine."""
    (tmp_path / "specs.yaml").write_text(SPECS)
    (tmp_path / "halving.py").write_text(HALVING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in ("halving", "empty"):
        sys.modules.pop(name, None)


def pytest_run(*arguments: str) -> int:
    """Pytest in a process of its own, in which the engines run too: torch is imported once."""
    options = f"-q {QUICK} -p no:cacheprovider --engine-here".split()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode


def test_an_engine_in_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    """What it claims, what can be read, what is missing by how many want it, and what to do."""
    assert main(["engine", "halving", "--in", "specs.yaml"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("halving 1 claims values, not dtypes, flags, graph, errors, messages, random.\n")
    assert "Provide first, with the scenarios that each then unlocks: torch.sin (1)" in text
    assert "2 of 3 scenarios use nothing that is missing" in text
    assert "torch is compared with itself" in text
    assert "conformance engine halving --propose" in text


def test_what_to_do_next_names_the_interpreter(capsys: pytest.CaptureFixture[str]) -> None:
    """In which the engine was asked for: it need not be in this one."""
    here = ["--engine-python", sys.executable]
    assert main(["engine", "inhouse", *here, "--in", "specs.yaml"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"conformance run --engine inhouse {' '.join(here)} -n 2" in text
    assert f"conformance engine inhouse {' '.join(here)} --propose" in text


def test_an_engine_that_makes_no_tensor(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first thing to do, and no list of the rest."""
    (folder / "empty.py").write_text("class Tensor: pass\n")
    assert main(["engine", "empty", "--in", "specs.yaml"]) == 1
    text = capsys.readouterr().out
    assert "Nothing yet: it has no torch.tensor" in text
    assert "1. Make torch.tensor([1.0, 2.0], requires_grad=True) return one of its tensors" in text


ZEROS = """
class Tensor:
    dtype, shape = "float32", (2,)

    def __init__(self, values, requires_grad=False):
        self.data, self.grad = values, [0.0] * len(values)

    def tolist(self):
        return self.data.tolist()

tensor = Tensor
claims = {"values"}
"""


def test_what_hides_all_else_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers that raise when they are asked for, and grads that are there before any pass."""
    (folder / "zeros.py").write_text(ZEROS)
    main(["engine", "zeros", "--in", "specs.yaml"])
    told = " ".join(capsys.readouterr().out.split())
    assert "tolist() (it raises AttributeError: 'list' object has no attribute 'tolist')" in told
    assert "A new tensor has a grad already: let `observe` show None" in told


HOLDING = """
class _Module:
    named_parameters = dict

class _SGD:
    def __init__(self, params, lr):
        self.params = params

class nn: Module, Linear = _Module, lambda *sizes: _Module()
class optim: Optimizer = SGD = _SGD
ones = lambda *sizes, **options: Tensor([1.0])
"""


def test_modules_and_optimizers_that_do_not_list_what_they_hold(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They have torch's classes, but nothing of them is compared."""
    (folder / "holding.py").write_text(ZEROS + HOLDING)
    main(["engine", "holding", "--in", "specs.yaml"])
    told = " ".join(capsys.readouterr().out.split())
    assert "Its torch.nn.Module has no named_buffers, so what its modules hold is not compared." in told
    assert "Its torch.optim.Optimizer has no add_param_group, so what its optimizers hold" in told
    (folder / "listing.py").write_text(
        (ZEROS + HOLDING).replace(
            "named_parameters = dict",
            "def __init__(self): self._modules = self._buffers = self._parameters = {}",
        )
    )
    main(["engine", "listing", "--in", "specs.yaml"])
    assert "what its modules hold" not in " ".join(capsys.readouterr().out.split())


def test_a_module_that_does_not_name_its_tensors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has no adapter whose `observe` could be mended."""
    (folder / "nameless.py").write_text("class _Tensor: pass\ntensor = lambda *a, **k: _Tensor()\n")
    assert main(["engine", "nameless", "--in", "specs.yaml"]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "returns a _Tensor, and the module has no class `Tensor`" in text
    assert "let the module provide their class as `Tensor`, or write an adapter" in text


def test_an_adapter_that_raises(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the error that `observe` raises, without a traceback of the suite."""
    (folder / "raising.py").write_text(
        "class Engine:\n    name, version, claims = 'raising', '1', {'values'}\n"
        "    class torch: tensor = lambda *a, **k: 3\n"
        "    def observe(self, it): return 1 / 0\n"
    )
    assert main(["engine", "raising:Engine", "--in", "specs.yaml"]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "returns a int, for which `observe` raises ZeroDivisionError: division by zero" in text


def test_what_is_proposed_makes_the_run_green(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once a person has said kind and reason; and nothing is written before."""
    assert main(["engine", "halving", "--propose", "--in", "specs.yaml"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert not (folder / "halving.yaml").exists()
    assert shown[:2] == ["--- halving.yaml", "+++ halving.yaml (proposed)"]
    text = "\n".join(line[1:] for line in shown[3:])
    filled = text.replace("# bug, missing_feature or by_design", "bug").replace("# why", "it halves")
    assert "squares" in filled
    assert "sines" not in filled  # unsupported: no difference
    assert pytest_run("specs.yaml", "--engine", "halving") == 1
    (folder / "halving.yaml").write_text(f"{filled}\n")
    assert pytest_run("specs.yaml", "--engine", "halving") == 0
    assert main(["engine", "halving", "--propose", "--in", "specs.yaml"]) == 0
    assert capsys.readouterr().out == "halving.yaml needs no change\n"


def test_an_engine_that_changed_turns_its_entry_stale(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run fails, and the proposal takes the entry away."""
    entry = "  - {scenario: squares, facets: value, kind: bug, reason: it halves}\n"
    (folder / "halving.yaml").write_text(f"engine: halving\ndivergences:\n{entry}")
    assert pytest_run("specs.yaml", "--engine", "halving") == 0
    (folder / "halving.py").write_text(HALVING.replace("grad / 2", "grad"))
    assert pytest_run("specs.yaml", "--engine", "halving") == 1
    assert main(["engine", "halving", "--propose", "--in", "specs.yaml"]) == 0
    assert f"-{entry.rstrip()}" in capsys.readouterr().out


def test_an_entry_with_a_star_goes_once_it_shows_nowhere(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which a run of all the specs can tell, and no part of one."""
    entry = '  - {scenario: "s*", facets: value, kind: bug, reason: it halves}\n'
    (folder / "halving.yaml").write_text(f"engine: halving\ndivergences:\n{entry}")
    monkeypatch.setattr(locate, "specs", lambda: folder / "specs.yaml")
    assert pytest_run("specs.yaml", "--engine", "halving") == 0
    (folder / "halving.py").write_text(HALVING.replace("grad / 2", "grad"))
    assert pytest_run("specs.yaml", "--engine", "halving") == 0
    assert main(["engine", "halving", "--propose", "--in", "specs.yaml"]) == 0
    assert capsys.readouterr().out == "halving.yaml needs no change\n"
    assert main(["engine", "halving", "--propose"]) == 0
    assert f"-{entry.rstrip()}" in capsys.readouterr().out


def test_a_proposal_for_an_engine_without_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Is one for a file in the current folder, which the engine has to name."""
    (folder / "empty.py").write_text(HALVING.partition("engine.divergences")[0])
    assert main(["engine", "empty", "--propose", "--in", "specs.yaml"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("--- halving.yaml\n+++ halving.yaml (proposed)\n")
    assert told.err == "halving names its file in an attribute: divergences = 'halving.yaml'\n"


def test_two_recordings_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The statement where they part, and the exit status."""
    assert main(["record", "-o", "torch.jsonl", "--in", "specs.yaml"]) == 0
    assert main(["record", "-o", "other.jsonl.gz", "--engine", "halving", "--in", "specs.yaml"]) == 0
    assert "3 scenarios on halving 1" in capsys.readouterr().out
    assert main(["diff", "torch.jsonl", "torch.jsonl", "--in", "specs.yaml"]) == 0
    assert "3 scenarios, no differences" in capsys.readouterr().out
    assert main(["diff", "torch.jsonl", "other.jsonl.gz", "--in", "specs.yaml"]) == 1
    text = capsys.readouterr().out
    assert "-> halving 1: 2 of 3 scenarios differ" in text
    assert "  after step 1, line 3: b.backward()" in text
    assert "are alike" not in text
    (folder / "specs.yaml").write_text(SPECS.replace("id: ", "id: new-"))
    assert main(["diff", "torch.jsonl", "torch.jsonl", "--in", "specs.yaml"]) == 1
    assert "no scenario to be compared\n  3 not compared:" in capsys.readouterr().out


def test_what_several_scenarios_show_of_a_change_is_told_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the others by their ids, and what most show first."""
    square = SPECS[SPECS.index("  - id: squares") : SPECS.index("  - id: sines")]
    others = square.replace("squares", "again") + square.replace("squares", "once-more")
    (folder / "specs.yaml").write_text(SPECS + others)
    main(["record", "-o", "torch.jsonl", "--in", "specs.yaml"])
    main(["record", "-o", "other.jsonl", "--engine", "halving", "--in", "specs.yaml"])
    capsys.readouterr()
    assert main(["diff", "torch.jsonl", "other.jsonl", "--in", "specs.yaml"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line[:1].strip()] == [
        f"torch {torch.__version__} -> halving 1: 4 of 5 scenarios differ",
        "squares: backward fills the leaf's grad",
        "sines: the gradient passes through a sine",
    ]
    assert "  2 more are alike: again, once-more" in lines


def test_a_recording_of_an_engine_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    """As if it were here."""
    here = ["record", "--engine", "inhouse", "--in", "specs.yaml", "-o"]
    assert main([*here, "here.jsonl"]) == 0
    assert main([*here, "there.jsonl", "--engine-python", sys.executable]) == 0
    assert main(["diff", "here.jsonl", "there.jsonl", "--in", "specs.yaml"]) == 0


def test_a_recording_in_place_of_torch(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Torch is not imported; a trace that is stale fails, and says what to do."""
    assert main(["record", "-o", "torch.jsonl", "--in", "specs.yaml"]) == 0
    (folder / "conftest.py").write_text("import sys\nsys.modules['torch'] = None\n")
    run = ("specs.yaml", "--reference", "torch.jsonl", "--engine", "inhouse")
    assert pytest_run(*run) == 0
    assert pytest_run(*run, "-n1") == 0
    (folder / "specs.yaml").write_text(SPECS.replace("a * a", "a * a * a"))
    assert pytest_run(*run) == 1
    (folder / "torch.jsonl").write_text("")
    assert pytest_run(*run) != 0


def test_the_matrix_in_all_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its exit status is that of the runs, whatever the format; what is mixed or cut off is refused."""
    for engine in ("inhouse", "halving"):
        pytest_run("specs.yaml", "--engine", engine, "--conformance-json", f"{engine}.jsonl")
    for form in ("text", "markdown", "json"):
        assert main(["matrix", "inhouse.jsonl", "--format", form]) == 0
        assert main(["matrix", "inhouse.jsonl", "halving.jsonl", "--format", form]) == 1
    *_, data = capsys.readouterr().out.partition('{\n  "reference"')
    assert data
    assert main(["matrix", "inhouse.jsonl", "halving.jsonl", "--format", "json"]) == 1
    engines = json.loads(capsys.readouterr().out)["engines"]
    assert (engines["halving 1"]["supported"], engines["halving 1"]["agreeing"]) == (2, 1)
    assert list(engines["halving 1"]["tiers"]) == ["core", "standard"]
    assert [each["agreeing"] for each in engines["halving 1"]["tiers"].values()] == [0, 1]
    text = (folder / "halving.jsonl").read_text()
    (folder / "cut.jsonl").write_text("\n".join(text.splitlines()[:-1]))
    assert main(["matrix", "cut.jsonl"]) == 2
    assert main(["matrix", "halving.jsonl", "halving.jsonl"]) == 2


@pytest.mark.parametrize(
    ("given", "told"),
    [("nosuch.yaml", "nosuch.yaml does not exist"), ("none", "there are no scenarios in none")],
)
def test_scenarios_that_are_not_there(
    folder: Path, given: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the path."""
    (folder / "none").mkdir()
    assert main(["record", "-o", "torch.jsonl", "--in", given]) == 2
    assert told in capsys.readouterr().err
    assert not (folder / "torch.jsonl").exists()
