"""A failing scenario as a script that needs the engine alone."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.report.script import script
from conformance.runner.execute import run
from conformance.runner.verdict import judge
from tests.runner.make import scenario, step, torch_engine


class _Tensor:
    """Multiplies wrongly."""

    def __init__(self, data: list[float], dtype: object = None) -> None:
        self.data, self.shape = data, (len(data),)

    def __mul__(self, other: float) -> _Tensor:
        return _Tensor([each + other for each in self.data])

    def tolist(self) -> list[float]:
        """The numbers."""
        return self.data

    def __repr__(self) -> str:
        return f"mini({self.data})"


@pytest.fixture
def mini(monkeypatch: pytest.MonkeyPatch) -> ModuleEngine:
    """An engine that is a module."""
    module = ModuleType("mini")
    vars(module).update(tensor=_Tensor, Tensor=_Tensor, __version__="3")
    monkeypatch.setitem(sys.modules, "mini", module)
    return ModuleEngine("mini", module, claims=("values",))


def test_it_ends_with_the_first_difference(mini: ModuleEngine, capsys: pytest.CaptureFixture[str]) -> None:
    """On the engine and on torch, and says what each shows; nothing of the suite is in it."""
    made = scenario("a = torch.tensor([1., 5.])\nb = a * 3\nc = b * 2")
    first = judge(made, run(made, torch_engine), run(made, mini), mini.claims).differences[0]
    shown = [("torch 2", first.reference), ("mini 3", first.engine)]
    printed = []
    for engine in (torch_engine, mini):
        text = script(made, engine, first, shown)
        assert "conformance" not in text
        assert "c = " not in text
        assert text.splitlines()[-2:] == ["# torch 2: [3.0, 15.0]", "# mini 3: [4.0, 8.0]"]
        exec(compile(text, "script", "exec"), {})
        printed.append(capsys.readouterr().out)
    assert printed == ["tensor([ 3., 15.])\n", "mini([4.0, 8.0])\n"]


def test_without_a_difference_it_is_the_whole_program(capsys: pytest.CaptureFixture[str]) -> None:
    """With what is expected printed next to what torch does."""
    made = scenario(step("a = torch.tensor([1., 5.])\nb = a * 3", expect={"b": [3.0, 15.0]}))
    text = script(made, torch_engine, None, [])
    exec(compile(text, "script", "exec"), {})
    assert capsys.readouterr().out == "tensor([ 3., 15.])\n"
    assert "# [3.0, 15.0]" in text
