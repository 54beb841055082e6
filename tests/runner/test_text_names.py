"""No callable of the vocabulary takes the name of an attribute or a module as text and follows it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from functools import partial
from types import ModuleType

import pytest

from conformance.language import vocabulary
from conformance.runner.isolate import isolated
from conformance.runner.normalize import PROGRAM
from conformance.runner.own_state import lookup
from conformance.runner.processes import forked
from conformance.runner.text_names import restrict
from conformance.runner.wall import walled
from tests.runner.make import torch_engine

NAMES = ("_" * 2 + "globals" + "_" * 2, "antigravity.x")
# A module, a function with attributes, a tensor, a generator: what a program can pass as the owner of a name.
OWNERS = ("nn.Linear(2, 2)", "lambda *given: None", "torch.ones(2)", "(each for each in [1])")


def _callables() -> Iterator[str]:
    for path, kind in vocabulary.PATHS.items():
        found = lookup(torch_engine.torch, path.partition(".")[2])
        if kind != "module" and callable(found):
            yield path


def _methods() -> Iterator[str]:
    for entry in vocabulary.entries():
        owner = (
            lookup(torch_engine.torch, entry.owner.partition(".")[2])
            if entry.owner.startswith("torch.")
            else None
        )
        if (
            entry.kind == "attribute"
            and inspect.isclass(owner)
            and callable(getattr(owner, entry.name, None))
        ):
            yield entry.name


@pytest.mark.parametrize("name", NAMES)
def test_no_callable_follows_a_name(name: str) -> None:
    """Called with an owner and the name, or the name alone, none returns what the name leads to.

    In a fork: a call may end while torch imports a part of itself, which could not be imported again.
    """
    ((_, found),) = forked([partial(_led_out, name)], 1)
    assert found == []


def _led_out(name: str) -> list[str]:
    """The calls that follow a name, and the modules that one of them imported."""
    restrict("torch")  # as each run does
    before = {*sys.modules}
    paths = [*_callables()]
    calls = [f"{path}({name!r})" for path in paths]
    calls += [f"{path}({owner}, {name!r})" for path in paths for owner in OWNERS[:2]]
    calls += [f"({owner}).{method}({name!r})" for method in sorted({*_methods()}) for owner in OWNERS]
    assert len(calls) > 5000
    return [*filter(_leads_out, calls), *({"antigravity"} & ({*sys.modules} - before))]


def _leads_out(call: str) -> bool:
    """Whether the call gives a program what it should not hold: a module, a class of classes, a namespace."""
    torch = torch_engine.torch
    names = {"torch": torch, "nn": torch.nn}
    with isolated(torch), walled(torch_engine, []):
        try:
            found = eval(compile(call, PROGRAM, "eval"), names)
        except BaseException:
            return False
    return isinstance(found, ModuleType) or found is type or (isinstance(found, dict) and "__name__" in found)
