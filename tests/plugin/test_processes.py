"""Torch in a process of its own: where that is, what it saves, and that nobody sees a difference."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from conformance.adapters.inhouse import engine
from conformance.adapters.registry import EngineNotFoundError
from conformance.adapters.remote import RemoteEngine
from conformance.check.checker import Checker
from conformance.language.scenario import Scenario
from conformance.runner.engine import GROUPS
from conformance.runner.execute import run
from conformance.runner.trace import Trace
from tests.plugin.conftest import QUICK
from tests.runner.make import scenario, torch_engine

SCENARIO = """
    scenarios:
      - id: doubled
        title: doubling doubles
        run: b = torch.tensor([2.]) * 2
"""

WHERE = """
    import os, sys

    os.sched_setaffinity(0, {processors})

    def pytest_unconfigure():
        print("torch is here:", "torch" in sys.modules)
"""


def numbered(n: int) -> Scenario:
    """A scenario of that number."""
    return replace(scenario(f"a = torch.tensor([{n}.])"), id=f"number-{n}")


several = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two processors"
)


@several
@pytest.mark.parametrize("alone", [False, True])
def test_torch_has_a_processor_of_its_own_if_there_is_one(pytester: pytest.Pytester, alone: bool) -> None:
    """Else it is imported where the scenarios run."""
    processors = sorted(os.sched_getaffinity(0))[: 1 if alone else 2]
    pytester.makefile(".yaml", mine=SCENARIO)
    pytester.makeconftest(WHERE.format(processors=processors))
    done = pytester.runpytest_subprocess("mine.yaml", "-s")
    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines([f"torch is here: {alone}"])


def test_an_engine_that_only_pytest_has_stays_there(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that a conftest has made cannot be imported in another process."""
    monkeypatch.setenv("PYTEST_ADDOPTS", QUICK)
    pytester.makefile(".yaml", mine=SCENARIO)
    pytester.makeconftest(
        """
        import sys, types
        import conformance.engine

        made = sys.modules["made_here"] = types.ModuleType("made_here")
        vars(made).update(tensor=conformance.engine.tensor, Tensor=conformance.engine.Tensor)
        """
    )
    done = pytester.runpytest_subprocess("mine.yaml", "--engine", "made_here")
    done.assert_outcomes(passed=1)


@several
def test_nothing_starts_where_nothing_runs(pytester: pytest.Pytester) -> None:
    """Collection alone has no use for torch."""
    pytester.makefile(".yaml", mine=SCENARIO)
    pytester.makeconftest(
        """
        def pytest_unconfigure():
            import sys
            print("asked for:", "conformance.adapters.remote" in sys.modules)
        """
    )
    done = pytester.runpytest_subprocess("mine.yaml", "--collect-only", "-s")
    done.stdout.fnmatch_lines(["asked for: False"])


def test_what_is_expected_is_run_before_it_is_asked_for(tmp_path: Path) -> None:
    """Announced scenarios run in that order, once; others run when requested; announced ones may be left out."""
    log = tmp_path / "log"
    (tmp_path / "noting.py").write_text(
        "class Tensor:\n"
        "    def __init__(self, values):\n"
        f"        print(values[0], file=open({str(log)!r}, 'a'))\n"
        "        self.values, self.shape, self.dtype = values, (len(values),), 'float32'\n"
        "    def tolist(self): return self.values\n"
        "tensor = Tensor\n"
        "may = {'files'}\n"
    )
    first, second, third, other = (numbered(n) for n in (1, 2, 3, 4))
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    remote = RemoteEngine("noting", str(python))
    try:
        remote.expect([first, second, third])
        asked = [run(each, remote) for each in (first, other, third, first)]
    finally:
        remote.close()
    assert [trace.scenario for trace in asked] == ["number-1", "number-4", "number-3", "number-1"]
    found, *ran = log.read_text().split()  # an engine makes a tensor when it is found
    assert found == "1.0"
    assert ran == ["1.0", "2.0", "3.0", "4.0", "1.0"]


def test_who_does_not_wait_is_told_later_that_it_does_not_start() -> None:
    """The error is raised at the next request."""
    remote = RemoteEngine("inhose", sys.executable, wait=False)
    with pytest.raises(EngineNotFoundError, match="did you mean 'inhouse'"):
        run(scenario("a = 1"), remote)


@dataclass
class Late:
    """Torch, which takes its time."""

    polls: int
    name: str = torch_engine.name
    version: str = torch_engine.version
    claims: frozenset[str] = frozenset(GROUPS)
    available: frozenset[str] = frozenset()
    torch: None = None
    asked: list[str] = field(default_factory=list)

    def observe(self, value: object, /) -> None:
        """Nothing is a tensor here."""

    def starting(self) -> bool:
        """A few times."""
        self.polls -= 1
        return self.polls >= 0

    def trace_of(self, scenario: Scenario, **options: object) -> Trace:
        """Of torch."""
        self.asked.append(scenario.id)
        return run(scenario, torch_engine)


def test_while_torch_starts_the_engine_runs_what_comes_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once, and the verdicts are as ever."""
    ran = []

    def running(each: Scenario, on: object, **options: object) -> Trace:
        if on is engine:
            ran.append((each.id, len(late.asked)))
        return run(each, on, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("conformance.check.checker.run", running)
    scenarios = [numbered(n) for n in range(4)]
    late = Late(polls=3)
    checker = Checker(late)
    checker.expect((each, engine) for each in scenarios)
    verdicts = [checker(each, engine).result.verdict for each in scenarios]
    assert verdicts == ["agrees"] * 4
    assert ran == [("number-0", 0), ("number-1", 0), ("number-2", 0), ("number-3", 3)]
