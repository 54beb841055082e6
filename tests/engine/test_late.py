"""What is imported when it is first asked for; see Note [Operations asked for late]."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from conformance.engine.ops import late, names

PROGRAM = """
import json, sys
import conformance.engine as torch
from conformance.engine.ops.attaching import LateMethod

def waiting():
    return [name for name, each in vars(torch.Tensor).items() if isinstance(each, LateMethod)]

def loaded():
    prefix = "conformance.engine.ops."
    return [name.removeprefix(prefix) for name in sys.modules if name.startswith(prefix)]

"""


def told(program: str) -> Any:
    """What a program in a process of its own prints."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM + program], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_an_import_leaves_them() -> None:
    assert not {*told("print(json.dumps(loaded()))")} & names.LATE.keys()


@pytest.mark.parametrize("module", names.LATE)
def test_one_module_brings_what_is_listed_of_it(module: str) -> None:
    """Each alone, in a new process: all its names, and none that another module is listed with."""
    left, brought = told(f"""
before = waiting()
torch.ops.late.load("{module}")
print(json.dumps([waiting(), [name for name in before if name not in waiting()]]))
""")
    listed = {name for name, owner in names.MODULE_OF.items() if owner == module}
    assert not listed & {*left}
    assert {*brought} == listed - {*late._FUNCTIONS.split()}


@pytest.mark.parametrize(
    ("asked", "module"),
    {
        "torch.einsum": "einsum",
        "torch.Tensor.index_add_": "index_select",
        "torch.ones(2).var": "moments",
        "hasattr(torch.ones(1), 'median')": "ordering",
        "torch.ops.aten.searchsorted": "searching",
        "torch.special.digamma": "gamma",
        "torch.overrides.get_overridable_functions()": "hashing",
        "torch._softmax": "private",
    }.items(),
)
def test_asked_for_it_is_there(asked: str, module: str) -> None:
    assert module in told(f"{asked}; print(json.dumps(loaded()))")


def test_all_names_are_told_and_imported() -> None:
    """Whoever lists torch's names, or imports all of them, finds those that nobody asked for."""
    assert told("print(json.dumps([name in dir(torch) for name in ('erf', 'erf_', 'cumsum')]))") == [True] * 3
    assert told("print(json.dumps('erf_' in dir(torch.Tensor)))") is True
    assert told("from conformance.engine import *; print(json.dumps(callable(erf)))") is True


def test_what_a_program_put_in_place_stays() -> None:
    program = """
torch.var = torch.Tensor.std = print
torch.ones(2).var()
print(json.dumps([torch.var is print, torch.Tensor.std is print]))
"""
    assert told(program) == [True, True]


def test_a_subclass_reaches_what_it_overrides() -> None:
    program = """
class Wide(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl
    def var(self):
        return super().var() + 1
print(json.dumps([len(waiting()) > 100, torch.ones(2).as_subclass(Wide).var().item()]))
"""
    assert told(program) == [True, 1.0]


def test_threads_that_ask_at_once_find_the_same() -> None:
    program = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
barrier = Barrier(8)
def ask(name):
    barrier.wait()
    return getattr(torch, name), getattr(torch.Tensor, name)
with ThreadPoolExecutor(8) as pool:
    found = [*pool.map(ask, ["scatter", "gather"] * 4)]
print(json.dumps(len({id(each) for pair in found for each in pair})))
"""
    assert told(program) == 4
