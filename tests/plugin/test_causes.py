"""`--cause` runs the scenarios of one cause of an earlier run again, by the name in its summary."""

from __future__ import annotations

import re

import pytest

MODES = pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["serial", "xdist"])
SCENARIOS = """
topic: products
scenarios:
  - id: product
    title: a product of two tensors
    matrix: {n: [1, 2, 3]}
    run: a = torch.tensor([${n}.]) * 2
  - id: sum
    title: a sum of two tensors
    run: a = torch.tensor([2.]) + 2
  - id: fine
    title: a tensor alone
    run: a = torch.tensor([2.])
"""
ENGINE = """
import torch
from types import SimpleNamespace

class Tensor:
    def __init__(self, own): self.own = own
    def __mul__(self, other): return Tensor(self.own * other * 3)
    def __add__(self, other): raise ValueError("no sums")

class Engine:
    name, version, claims = "faulty", "1", {"values"}
    torch = SimpleNamespace(tensor=lambda data: Tensor(torch.tensor(data)), Tensor=Tensor)
    def observe(self, value): return value.own if isinstance(value, Tensor) else None
"""


@pytest.fixture(autouse=True)
def files(pytester: pytest.Pytester) -> None:
    """A file of scenarios and an engine that multiplies wrongly and does not add."""
    pytester.makefile(".yaml", products=SCENARIOS)
    pytester.makepyfile(faulty=ENGINE)


@MODES
def test_a_cause_is_run_again_alone(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    """By the name next to it, again and again, and not what else differs."""
    options = ("products.yaml", "--engine", "faulty:Engine", *mode)
    first = pytester.runpytest(*options)
    assert first.parseoutcomes() == {"failed": 4, "passed": 1}
    found = re.search(r"^ +3  (\w{5})  \* gives", first.stdout.str(), re.MULTILINE)
    assert found is not None, first.stdout.str()
    for _ in range(2):
        again = pytester.runpytest(*options, "--cause", found[1])
        assert again.parseoutcomes()["failed"] == 3
        assert "passed" not in again.parseoutcomes()
        assert f"  {found[1]}  * gives" in again.stdout.str()


@MODES
def test_a_cause_that_no_run_had_is_refused(pytester: pytest.Pytester, mode: tuple[str, ...]) -> None:
    """With the place where their names are."""
    result = pytester.runpytest("products.yaml", "--engine", "faulty:Engine", "--cause", "12345", *mode)
    said = "no earlier run in this folder had a cause of that name"
    assert said in result.stdout.str() + result.stderr.str()
    assert result.ret != 0
