"""A fork that checks from the end, where torch's answers are stored: it saves work, and nobody sees a difference."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from conformance.adapters.recording import write
from conformance.adapters.torch import engine as torch_engine
from conformance.processes import FromTheEnd
from conformance.runner.execute import run
from conformance.spec.load import load_file

SCENARIOS = "scenarios:\n" + "".join(
    f"  - id: doubled-{n}\n    title: doubling {n} doubles\n    run: b = torch.tensor([{n}.]) * 2\n"
    for n in range(20)
)

ENGINE = """
    import os, time
    from pathlib import Path
    import conformance.engine as torch

    MAIN = os.getpid()
    LOG = Path({log!r})

    def in_fork():
        return os.getpid() != MAIN

    def others():
        return any(int(line) != MAIN for line in LOG.read_text().split())

    def tensor(values):
        with LOG.open("a") as log:
            print(os.getpid(), file=log)
        if in_fork():
            {fault}
        while not in_fork() and not others():  # so that both have their part
            time.sleep(0.01)
        if values == [7.]:
            print("seven")
            values = [8.]
        return torch.tensor(values)

    def __getattr__(name):
        return getattr(torch, name)
"""

several = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two processors"
)


def inner(pytester: pytest.Pytester, fault: str, *options: str) -> tuple[pytest.RunResult, list[int]]:
    """A run with torch's answers stored, and how often each process ran a scenario, the main one first."""
    path = pytester.makefile(".yaml", mine=SCENARIOS)
    scenarios = load_file(path).scenarios
    write(Path("torch.json"), torch_engine, ((each, run(each, torch_engine)) for each in scenarios), set())
    log = pytester.path / "log"
    pytester.makepyfile(mine=ENGINE.format(log=str(log), fault=fault))
    done = pytester.runpytest_subprocess("mine.yaml", "--reference=torch.json", "--engine=mine", *options)
    pids = log.read_text().split()
    return done, [Counter(pids)[pid] for pid in dict.fromkeys(sorted(pids, key=lambda each: each != pids[0]))]


@several
def test_two_share_the_work(pytester: pytest.Pytester) -> None:
    """Each scenario runs once, but for those at which they meet; what differs, where it can be looked at."""
    done, counts = inner(pytester, "pass")
    done.assert_outcomes(passed=19, failed=1)
    done.stdout.fnmatch_lines(["b is [[]16.0] on mine, [[]14.0] on torch*", "seven"])
    assert len(counts) == 2
    assert sum(counts) in (20, 21, 22)


@several
@pytest.mark.parametrize("fault", ["os._exit(3)", "time.sleep(60)", "raise ValueError", "values = [99.]"])
def test_a_fork_that_cannot_do_it_costs_nothing_else(pytester: pytest.Pytester, fault: str) -> None:
    """What it has not found to agree runs where the rest does."""
    done, counts = inner(pytester, fault)
    done.assert_outcomes(passed=19, failed=1)
    assert max(counts) >= 20


@several
def test_who_traces_sees_it_all(pytester: pytest.Pytester) -> None:
    """A tracer, such as that of coverage, hears of this process alone."""
    pytester.makeconftest("import sys\nsys.settrace(lambda *_: None)")
    log = pytester.path / "log"
    log.write_text("0\n")  # nobody waits for another
    done, counts = inner(pytester, "pass")
    done.assert_outcomes(passed=19, failed=1)
    assert sorted(counts) == [1, 20]


def test_tasks_from_the_last_to_the_first() -> None:
    """What raises there, or gives nothing, is for this process to do."""

    def task(number: int) -> int | None:
        if number == 2:
            raise ValueError
        return None if number == 1 else number

    tasks = FromTheEnd([lambda n=n: task(n) for n in range(4)])  # type: ignore[misc]
    tasks._process.join()  # type: ignore[union-attr]
    assert [tasks.take(n) for n in (3, 2, 1, 0, 3)] == [3, None, None, 0, None]
    tasks.close()
