"""Faults in functions of a module that is imported already."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from conformance.mutation.replaced import holders_below, replace, replacements

SOURCE = """
class Slots:
    __slots__ = ("code",)

    def __init__(self, function):
        self.code = function.__code__


def twice(function):
    def wrapper(x):
        return function(x) * 2
    return wrapper


@twice
def plus(x, other=1):
    return x + other


def adder(n):
    def add(x):
        return x + n
    return add


def kept(x):
    return x - 10


def unreachable(x):
    return x - 20


class A:
    size = 7

    def grown(self, x):
        return x + self.size


add_five = adder(5)
slots = Slots(kept)
kept.__code__ = (lambda x: 0).__code__
codes = [unreachable.__code__]
"""
_numbers = itertools.count()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module above, imported under a name of its own."""
    name = f"replaced_{next(_numbers)}"
    (tmp_path / f"{name}.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module(name)


def changed(module: ModuleType, was: str, becomes: str) -> bool | None:
    """Change the source in the imported module; None if that needs an import."""
    assert module.__file__ is not None
    path = Path(module.__file__)
    before = path.read_bytes()
    assert before.count(was.encode()) == 1
    codes = replacements(before, before.replace(was.encode(), becomes.encode()), path)
    return None if codes is None else replace(codes, holders_below(path.parent))


@pytest.mark.parametrize(
    ("was", "becomes", "result"),
    [
        ("x + other", "x - other", lambda m: m.plus(5) == 8),  # only a closure holds it
        ("function(x) * 2", "function(x) * 3", lambda m: m.plus(5) == 18),  # made before, by a decorator
        (
            "x + n",
            "x - n",
            lambda m: (m.add_five(1), m.adder(2)(1)) == (-4, -1),
        ),  # one made before, one after
        ("x + self.size", "x", lambda m: m.A().grown(1) == 1),
        ("x - 10", "x - 11", lambda m: 11 in m.slots.code.co_consts),  # not what the function runs now
    ],
)
def test_functions(module: ModuleType, was: str, becomes: str, result: Callable[[ModuleType], bool]) -> None:
    """Whatever holds the code of a function runs the changed code; other functions stay as they are."""
    assert not result(module)
    assert changed(module, was, becomes)
    assert result(module)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("adder(5)", "adder(6)"),
        ("other=1", "other=2"),
        ("size = 7", "size = 8"),
        ("@twice\n", "\n"),
        ("x + n", "x"),  # another closure
    ],
)
def test_what_needs_an_import(module: ModuleType, was: str, becomes: str) -> None:
    """What ran during the import, and functions with other free variables, cannot be replaced."""
    assert changed(module, was, becomes) is None


def test_a_holder_that_is_not_known(module: ModuleType) -> None:
    """Nothing is changed if something else holds the code, which could run it."""
    assert changed(module, "x - 20", "x - 21") is False
    assert module.unreachable(0) == -20
