"""Engines are found by name, by module and by attribute."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.adapters.registry import EngineNotFoundError, find, names
from conformance.runner.engine import GROUPS, Engine
from conformance.runner.execute import run
from tests.runner.make import scenario

ADAPTER = """
class Own:
    name, version, claims, torch = "own", "2", frozenset({"values"}), object()
    def observe(self, value):
        return None
engine = Own()
inner = type("Space", (), {"engine": engine})

def make():
    return Own()

class NoVersion:
    name, claims, torch, observe = Own.name, Own.claims, Own.torch, Own.observe

class Raising(Own):
    version = property(lambda self: 1 / 0)

class Numbered(Own):
    version = 2, 0

class Text(Own):
    claims = "values"
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module with an adapter."""
    (tmp_path / "some_adapter.py").write_text(ADAPTER)
    (tmp_path / "torchlike.py").write_text("__version__ = '0.3'\nclass Tensor: pass\n")
    (tmp_path / "unnamed.py").write_text("class Adapter:\n    def observe(self, value): ...\n")
    (tmp_path / "breaks.py").write_text("import no_such_dependency\n")
    (tmp_path / "fails.py").write_text("1 / 0\n")
    (tmp_path / "script.py").write_text("import sys\nsys.exit('usage: script EPOCHS')\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "some_adapter"
    for name in ("some_adapter", "torchlike", "unnamed", "breaks", "fails", "script"):
        sys.modules.pop(name, None)


def test_the_reference_by_its_name() -> None:
    """It claims everything."""
    engine = find("torch")
    assert (engine.name, engine.claims) == ("torch", frozenset(GROUPS))
    assert engine.version.startswith("2.")
    assert {"torch", "inhouse"} <= set(names())


def test_a_torch_like_module_needs_no_adapter(module: str) -> None:
    """Its name is the engine's, its __version__ the version."""
    engine = find("torchlike")
    assert isinstance(engine, ModuleEngine)
    assert (engine.name, engine.version, engine.claims) == ("torchlike", "0.3", frozenset(GROUPS))
    tensor = engine.torch.Tensor()
    assert engine.observe(tensor) is tensor
    assert engine.observe(1) is None


@pytest.mark.parametrize(
    "name",
    [
        "some_adapter",
        "some_adapter:engine",
        "some_adapter:Own",
        "some_adapter:make",
        "some_adapter:inner.engine",
    ],
)
def test_an_adapter_in_a_module(module: str, name: str) -> None:
    """By the module that has it as `engine`, by its attribute, or by what makes it."""
    engine = find(name)
    assert isinstance(engine, Engine)
    assert (engine.name, engine.version) == ("own", "2")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("torhc", "there is no engine 'torhc': did you mean 'torch'?"),
        ("zzz", "there is no engine 'zzz'; the registered engines are inhouse, torch"),
        ("torchlike.py", "there is no engine 'torchlike.py': a module is named as in an import, torchlike"),
        ("./a/b.py:make", "there is no engine './a/b.py:make': a module is named as in an import, a.b:make"),
        ("/a/b.py", "there is no engine '/a/b.py': a module is named as in an import, b"),
        ("unnamed", "engine 'unnamed' is a module: name unnamed:Adapter in it"),
        ("some_adapter:nope", "engine 'some_adapter:nope': some_adapter has no 'nope'"),
        ("some_adapter:mak", "engine 'some_adapter:mak': some_adapter has no 'mak': did you mean 'make'?"),
        ("breaks", "engine 'breaks' needs the module 'no_such_dependency', which is not installed"),
        ("fails", "engine 'fails' cannot be imported: ZeroDivisionError: division by zero"),
        ("script", "engine 'script' cannot be imported: SystemExit: usage: script EPOCHS"),
        ("some_adapter:NoVersion", "engine 'some_adapter:NoVersion' has `observe`, but lacks version"),
        ("some_adapter:Raising", "engine 'some_adapter:Raising' cannot be made: ZeroDivisionError: division"),
        ("some_adapter:Numbered", "engine 'some_adapter:Numbered': its version is a tuple, not a str"),
        ("some_adapter:Text", "engine 'some_adapter:Text' claims a text: write {'values'}, a set"),
        ("some_adapter.sub", "there is no engine 'some_adapter.sub'"),
        ("", "there is no engine ''"),
        (".relative", "there is no engine '.relative'"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(module: str, name: str, message: str) -> None:
    """With a guess where there is one."""
    with pytest.raises(EngineNotFoundError) as raised:
        find(name)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_an_entry_point_registers_an_engine(module: str, tmp_path: Path) -> None:
    """Of any installed package."""
    info = tmp_path / "some_adapter-2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-adapter\nVersion: 2\n")
    (info / "entry_points.txt").write_text("[conformance.engines]\nmine = some_adapter:engine\n")
    assert find("mine").name == "own"
    assert "mine" in names()


LAZY = """
import os
from types import SimpleNamespace

made = []

class Tensor:
    def __init__(self, data):
        if not made:
            os.listdir("/")  # for devices, say
        made.append(data)

torch = SimpleNamespace(Tensor=Tensor, tensor=Tensor)
"""


def test_an_engine_makes_a_tensor_before_any_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """See Note [First use]: looking for devices is not the doing of the first program."""
    (tmp_path / "lazy_engine.py").write_text(LAZY)
    monkeypatch.syspath_prepend(tmp_path)
    trace = run(scenario("a = torch.tensor([1.0])"), find("lazy_engine:torch"))
    assert trace.moments[-1].raised is None
