"""A fork that checks from the end, where torch's answers are stored: it saves work, and nobody sees a difference."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.adapters.recording import write
from conformance.adapters.torch import engine as torch_engine
from conformance.language.load import load_file
from conformance.runner.execute import run
from conformance.runner.processes import FromTheEnd

SCENARIOS = "scenarios:\n" + "".join(
    f"  - id: doubled-{n}\n    title: doubling {n} doubles\n    run: b = torch.tensor([{n}.]) * 2\n"
    for n in range(20)
)

ENGINE = """
    import os, time
    from pathlib import Path
    import conformance.engine as torch

    MAIN = os.getpid()
    may = {{"files"}}
    found = []

    def tensor(values):
        if not found:  # the suite makes a tensor when it finds an engine
            found.append(values)
            return torch.tensor(values)
        with Path("fork" if os.getpid() != MAIN else "main").open("a") as log:
            log.write(".")
        if os.getpid() != MAIN:
            {fault}
        while os.getpid() == MAIN and len(Path("fork").read_text()) < {least}:  # so that both have their part
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


def inner(pytester: pytest.Pytester, fault: str, *arguments: str, least: int = 1) -> int:
    """How many of the 20 scenarios of a run with torch's answers stored ran in the main process.

    The fork has a fault, and begins before the first of the main process is done, with so many.
    """
    path = pytester.makefile(".yaml", mine=SCENARIOS)
    scenarios = load_file(path).scenarios
    write(Path("torch.json"), torch_engine, ((each, run(each, torch_engine)) for each in scenarios), set())
    pytester.makepyfile(mine=ENGINE.format(fault=fault, least=least))
    Path("fork").touch()
    done = pytester.runpytest_subprocess(
        "mine.yaml",
        "--reference=torch.json",
        "--engine=mine",
        "--engine-here",
        "--scenario-timeout=600",
        *arguments,
    )
    done.assert_outcomes(passed=19, failed=1)
    done.stdout.fnmatch_lines(
        ["b is [[]16.0] on mine, [[]14.0] on torch*", *([] if arguments else ["seven"])]
    )
    return len(Path("main").read_text())


@several
def test_two_share_the_work(pytester: pytest.Pytester) -> None:
    """What has been found to agree is not run again; what differs is, where it can be looked at."""
    ran = inner(pytester, "pass", least=10)
    assert ran <= 12  # at the tenth, nine have been told


@several
@pytest.mark.parametrize("fault", ["os._exit(3)", "time.sleep(600)", "raise ValueError", "values = [99.]"])
def test_a_fork_that_cannot_do_it_costs_nothing_else(pytester: pytest.Pytester, fault: str) -> None:
    """What it has not found to agree runs where the rest does."""
    assert inner(pytester, fault) == 20


@several
def test_who_traces_sees_it_all(pytester: pytest.Pytester) -> None:
    """A tracer, such as that of coverage, sees this process alone."""
    pytester.makeconftest("import sys\nsys.settrace(lambda *_: None)")
    assert inner(pytester, "pass", least=0) == 20
    assert not Path("fork").read_text()


def test_an_engine_elsewhere_answers_this_process_alone(pytester: pytest.Pytester) -> None:
    """Two processes that share a pipe would take each other's answers."""
    assert inner(pytester, "pass", f"--engine-python={sys.executable}", least=0) == 20


def test_a_task_that_hears_nothing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop in C, which would outlive a process that is killed."""
    monkeypatch.setattr("conformance.runner.processes.BUSY", 0.1)
    tasks = FromTheEnd([lambda: 0, lambda: sum(range(10**13))])
    tasks._process.join(600)  # type: ignore[union-attr]
    assert tasks._process.exitcode == -signal.SIGPROF  # type: ignore[union-attr]
    assert [tasks.take(n) for n in (1, 0)] == [None, None]


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


KILLED = """
import os, signal
from conformance.runner.processes import FromTheEnd

FromTheEnd([lambda: "more than a pipe holds" * 10_000] * 3)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_left_where_the_main_process_is_killed() -> None:
    """The fork does not wait forever for a reader."""
    reader, writer = os.pipe()
    done = subprocess.run([sys.executable, "-c", KILLED], check=False, pass_fds=[writer])
    os.close(writer)
    assert done.returncode == -signal.SIGKILL
    ended, _, _ = select.select([reader], [], [], 600)  # when nobody is left who could write
    os.close(reader)
    assert ended
