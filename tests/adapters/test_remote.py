"""An engine in another interpreter is the same engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.adapters.probe import probe
from conformance.adapters.registry import EngineNotFoundError
from conformance.adapters.remote import RemoteEngine
from conformance.runner.execute import available, run
from tests.runner.make import scenario, step, torch_engine

MODEL = "a = torch.tensor([2.], requires_grad=True)\nb = a * a\nb.backward()\nprint(a.grad)\na.nope"


@pytest.fixture(scope="module")
def remote() -> Iterator[RemoteEngine]:
    """The in-house engine, elsewhere."""
    engine = RemoteEngine("inhouse", sys.executable)
    yield engine
    engine.close()


def test_its_traces_are_those_of_the_engine(remote: RemoteEngine) -> None:
    """States, prints and errors; and torch finds nothing to say against them."""
    from conformance.adapters.inhouse import engine

    made = scenario(step(MODEL, raises="AttributeError"))
    assert run(made, remote) == run(made, engine)
    assert (remote.name, remote.version, remote.claims) == (engine.name, engine.version, engine.claims)
    assert remote.complete is engine.complete is True


def test_it_tells_what_there_is(remote: RemoteEngine) -> None:
    """For `conformance engine`, and of what scenarios need."""
    from conformance.adapters.inhouse import engine

    assert remote.probe() == probe(engine)
    assert available(remote, "cuda") is available(torch_engine, "cuda")


def test_the_next_scenario_finds_a_new_interpreter() -> None:
    """After one that ended."""
    engine = RemoteEngine("inhouse", sys.executable)
    try:
        before = run(scenario(MODEL), engine)
        engine.close()
        assert run(scenario(MODEL), engine) == before
    finally:
        engine.close()


def test_an_answer_to_another_question_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where two processes write to one pipe."""
    engine = RemoteEngine("inhouse", sys.executable)
    try:
        other = replace(scenario(MODEL), id="another-id")
        answer = run(other, engine).to_json()
        monkeypatch.setattr(engine, "_ask", lambda *_: answer)
        raised = run(scenario(MODEL), engine).moments[-1].raised
        assert raised is not None
        assert str(raised) == "InterpreterDied: it sent an answer that was not requested: another-id"
    finally:
        engine.close()


@pytest.mark.parametrize(
    ("name", "python", "message"),
    [
        ("inhouse", "nowhere/python", "there is no interpreter nowhere/python"),
        ("inhose", sys.executable, "there is no engine 'inhose': did you mean 'inhouse'?"),
        ("inhouse", "/bin/false", "engine 'inhouse' in /bin/false does not start: "),
    ],
)
def test_what_does_not_start_is_told_in_a_line(name: str, python: str, message: str) -> None:
    """Whose fault it is, too."""
    with pytest.raises(EngineNotFoundError) as raised:
        RemoteEngine(name, python)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def bare_python(folder: Path) -> str:
    """An interpreter without packages, which imports modules of the folder."""
    bare = folder / "python"
    bare.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    return str(bare)


def test_nothing_but_the_engine_is_needed_there(tmp_path: Path) -> None:
    """An interpreter without any package runs an engine without dependencies."""
    (tmp_path / "alone.py").write_text(
        "class Tensor:\n"
        "    def __init__(self, values): self.values, self.shape, self.dtype = values, (len(values),), 'float32'\n"
        "    def tolist(self): return self.values\n"
        "tensor = Tensor\n"
    )
    engine = RemoteEngine("alone", bare_python(tmp_path))
    try:
        trace = run(scenario("a = torch.tensor([1.])"), engine)
    finally:
        engine.close()
    assert trace.moments[-1].state is not None
    assert trace.moments[-1].state["a"]["value"] == "[1.0]"


def test_a_process_that_is_ended_is_at_the_statement_that_ended_it(tmp_path: Path) -> None:
    """Also where nothing can be written any more, as by SIGKILL; an error there has the engine's own frames."""
    (tmp_path / "ending.py").write_text(
        "import os, signal; may = {'processes'}\n"
        "class Tensor:\n"
        "    def __init__(self, values): self.values, self.shape, self.dtype = values, (len(values),), 'float32'\n"
        "    def tolist(self): return self.values\n"
        "    def backward(self): os.kill(os.getpid(), signal.SIGKILL)\n"
        "    def clone(self): return inner(self)\n"
        "def inner(tensor):\n"
        "    raise RuntimeError('not today')\n"
        "tensor = Tensor\n"
    )
    engine = RemoteEngine("ending", bare_python(tmp_path))
    try:
        ended = run(scenario("a = 1", "b = torch.tensor([1.])\nc = 2\nb.backward()\nd = 3"), engine).moments[
            -1
        ]
        raised = run(scenario("b = torch.tensor([1.])\nb.clone()"), engine).moments[-1]
    finally:
        engine.close()
    assert ended.raised is not None and ended.raised.type == "InterpreterDied"
    assert (ended.statement.step, ended.statement.line) == (1, 3)
    assert [(Path(each.file).name, each.line, each.function) for each in raised.frames] == [
        ("ending.py", 6, "clone"),
        ("ending.py", 8, "inner"),
    ]
