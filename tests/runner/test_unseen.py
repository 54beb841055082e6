"""Engines that torch's author would not have written: what they lack, and what they answer instead."""

from __future__ import annotations

import os
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.runner.execute import run
from conformance.runner.rerun import twice
from tests.runner.make import facets, scenario, torch_engine


class Tensor:
    """Of an engine that is made of arrays: they are seen through ``numpy`` alone."""

    dtype = "float32"
    requires_grad = retains_grad = False
    is_leaf = True
    grad = grad_fn = _base = storage = None
    output_nr = _version = 0
    shape: tuple[Any, ...] = (2,)

    def __init__(self, values: list[float]) -> None:
        self.values = values

    def numpy(self) -> Any:
        """Its array."""
        return SimpleNamespace(tolist=lambda: list(self.values))

    def argmax(self, dim: int) -> int:
        """Needs what torch's does not."""
        return dim


def engine(**names: Any) -> ModuleEngine:
    """The engine, with some names of its own."""
    return ModuleEngine(
        "unseen", SimpleNamespace(**{"Tensor": Tensor, "tensor": Tensor, **names}), version="1"
    )


def missing(program: str, **names: Any) -> str:
    """The error that a program meets for a name that the engine lacks."""
    raised = run(scenario(program), engine(**names)).moments[-1].raised
    assert raised is not None
    return raised.missing


def test_what_engines_lack_has_a_name() -> None:
    """A file where torch has a function, a class that takes less, a function that asks for more."""
    assert missing("a = torch.tensor([1.])", tensor=ModuleType("tensor")) == "torch.tensor"
    assert missing("a = torch.tensor([1.], requires_grad=True)") == "Tensor(requires_grad=...)"
    assert missing("a = torch.tensor([1.])\nb = a.argmax()") == "argmax() without dim"


def test_arrays_tell_the_values() -> None:
    """Where there is no ``tolist``."""
    moment = run(scenario("a = torch.tensor([1., 2.])"), engine()).moments[-1]
    assert facets(moment, "a")["value"] == "[1.0, 2.0]"


def test_a_size_that_is_equal_to_an_integer_is_none() -> None:
    """Also where the size itself has been seen before."""
    numbers = type("Numbers", (Tensor,), {"shape": (2.0,)})
    program = scenario("a = torch.tensor([1., 2.])")
    assert facets(run(program, torch_engine).moments[-1], "a")["shape"] == "[2]"
    shown = facets(run(program, engine(tensor=numbers, Tensor=Tensor)).moments[-1], "a")["shape"]
    assert str(shown).startswith("raises TypeError: 'float' object cannot be interpreted as an integer")


def test_a_function_may_be_called_as_the_class_of_tensors() -> None:
    """Nothing is a tensor then, and nothing breaks."""
    moment = run(scenario("a = torch.tensor([1., 2.])"), engine(Tensor=lambda values: values)).moments[-1]
    assert moment.raised is None
    assert facets(moment, "a")["value"] == "bound, unread"


def test_what_an_engine_changes_of_the_interpreter_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """All else runs in it too."""
    before = sys.getrecursionlimit(), os.getcwd(), sys.stdout

    def changing(values: list[float]) -> Tensor:
        sys.setrecursionlimit(before[0] + 1)
        os.chdir("/")
        monkeypatch.setattr(sys, "stdout", None)
        return Tensor(values)

    run(scenario("a = torch.tensor([1., 2.])"), engine(tensor=changing))
    assert (sys.getrecursionlimit(), os.getcwd(), sys.stdout) == before


def test_run_twice_a_library_is_no_other() -> None:
    """Its operators are not there any more when it is made again."""
    made = scenario('lib = torch.library.Library("mylib", "DEF")\nname = lib.define("f(Tensor x) -> Tensor")')
    first, second = twice(made, torch_engine)
    assert first.moments[-1].raised is None
    assert first == second
