"""Tensors of other engines under torch's names."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.adapters.wrapped import Wrapped
from conformance.runner.execute import run
from conformance.runner.verdict import judge
from tests.runner.make import scenario, torch_engine


class _Own:
    """An engine's number, which can be divided, and of which no quotient can be made."""

    def __init__(self, data: float) -> None:
        self.data = data

    def __truediv__(self, other: float) -> _Own:
        return _Own(self.data / other)

    def __add__(self, other: float) -> _Own:
        return _Own(self.data + "1")  # type: ignore[operator]


class _Tensor(Wrapped, shown_as="Tensor"):
    shape = ()

    def tolist(self) -> float:
        return float(self.own.data)


ENGINE = ModuleEngine(
    "own", SimpleNamespace(Tensor=_Tensor, tensor=lambda data: _Tensor(_Own(data))), version="1"
)


@pytest.mark.parametrize(
    ("program", "verdict"),
    [("a / 2", "agrees"), ("16 / a", "unsupported"), ("a - 1", "unsupported"), ("a + 1", "differs")],
)
def test_an_operator_that_an_engine_lacks_is_unsupported(program: str, verdict: str) -> None:
    """Though the adapter's own class has it; an error inside the engine's operator is a difference."""
    made = scenario(f"a = torch.tensor(2.)\nb = {program}")
    assert judge(made, run(made, torch_engine), run(made, ENGINE), {"values"}).verdict == verdict


@pytest.mark.parametrize("data", ["[1., 2.]", "a", "2, 3"])
def test_a_tensor_that_a_program_makes_by_its_class_is_unsupported(data: str) -> None:
    """The class is the adapter's, and wraps what the engine has made."""
    made = scenario(f"class Sub(torch.Tensor):\n    pass\na = torch.tensor(2.)\nb = Sub({data})")
    assert judge(made, run(made, torch_engine), run(made, ENGINE), {"values"}).verdict == "unsupported"
