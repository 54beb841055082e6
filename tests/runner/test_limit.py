"""A scenario that does not end costs its limit of time, and nothing else."""

from __future__ import annotations

import contextlib
import importlib
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from conformance.adapters.module import ModuleEngine
from conformance.runner import limit
from conformance.runner.execute import run
from conformance.runner.processes import ProcessDied, forked
from conformance.runner.trace import Trace
from tests.runner.make import scenario, torch_engine

SECONDS = 1.0  # of programs that do not end: a busy machine has to reach the statement that does not
ENOUGH = 600.0  # of those that end


def _run(program: str, engine: Any = torch_engine, seconds: float = SECONDS) -> Trace:
    return run(scenario(program, "after = 1"), engine, seconds=seconds)


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """What a first run imports or compiles takes none of the time."""
    _run("a = torch.ones(1, requires_grad=True) * 2\na.backward()", seconds=ENOUGH)


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("a = 1\nfor i in iter(int, 1):\n  b = 2", (2, 3)),
        ("a = 1\ndef f():\n  for i in iter(int, 1): pass\nf()", (4,)),
        ("a = torch.ones(1)\nfor i in range(10):\n  for j in range(10**9):\n    a = a + 1", (3, 4)),
        ("[0 for i in iter(int, 1)]", (1,)),
        # Loops that are C all through, which no signal interrupts.
        ("a = 1\nsum(range(10**12))", (2,)),
        ("a = 1\nlist(iter(int, 1))", (2,)),
        ("list(zip(reversed(range(10**12)), iter(int, 1)))", (1,)),
        ("9 ** 9 ** 9", (1,)),
    ],
)
def test_a_program_that_does_not_end(program: str, lines: tuple[int, ...]) -> None:
    """Its trace ends with the statement that was running."""
    trace = _run(program)
    assert str(trace.moments[-1].raised) == "TimeLimit: still running after 1 s"
    assert trace.moments[-1].statement.line in lines
    assert trace.moments[-1].statement.step == 0


def test_an_import_ends_before_the_program_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that an engine imports with its first call is whole for the scenarios after it."""
    (tmp_path / "imported_late.py").write_text("import time\ntime.sleep(1.5)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(limit, "PATIENCE", ENOUGH)

    def slow() -> None:
        importlib.import_module("imported_late")
        while True:
            pass

    engine = ModuleEngine("slow", SimpleNamespace(Tensor=torch_engine.torch.Tensor, ones=slow))
    trace = _run("a = torch.ones()", engine)
    assert str(trace.moments[-1].raised) == "TimeLimit: still running after 1 s"
    assert sys.modules.pop("imported_late").whole


def test_a_backward_hook_that_does_not_end() -> None:
    """The alarm gets through torch's own C++."""
    program = """
a = torch.ones(1, requires_grad=True)
def forever(g):
    for i in iter(int, 1): pass
a.register_hook(forever)
(a * 2).backward()
"""
    trace = _run(program.strip())
    assert str(trace.moments[-1].raised) == "TimeLimit: still running after 1 s"
    assert trace.moments[-1].statement.line == 5


def _swallowing(rings: int) -> ModuleEngine:
    """An engine that catches what comes, so many times."""

    def swallow() -> None:
        for _ in range(rings):
            with contextlib.suppress(BaseException):
                while True:
                    pass

    return ModuleEngine("swallowing", SimpleNamespace(swallow=swallow))


@pytest.mark.parametrize("rings", [1, 3])
def test_an_engine_that_swallows_the_alarm_meets_it_again(rings: int) -> None:
    """It rings until the run is over, and is not forgotten between two statements."""
    trace = _run("torch.swallow()\nb = 1\nfor i in iter(int, 1): pass", _swallowing(rings))
    assert str(trace.moments[-1].raised) == "TimeLimit: still running after 1 s"
    assert len(trace.moments) == 1


@pytest.mark.parametrize("last", [[], [BaseException]])
def test_an_engine_that_swallows_all_that_comes(last: list[type[BaseException]]) -> None:
    """The alarm repeats until it is raised where nothing catches it; it does not reach the next scenario."""

    def swallow() -> None:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                if last:
                    continue

    engine = ModuleEngine("swallowing", SimpleNamespace(swallow=swallow))
    trace = _run("torch.swallow()\nb = 1", engine, seconds=0.2)
    assert [str(moment.raised) for moment in trace.moments] == ["TimeLimit: still running after 0.2 s"]
    assert _run("b = 1", engine, seconds=ENOUGH).moments[-1].raised is None


def test_after_a_time_out_the_next_scenario_runs() -> None:
    """With its settings and its time."""
    _run("torch.set_grad_enabled(False)\nfor i in iter(int, 1): pass")
    trace = _run("a = torch.ones(1, requires_grad=True) * 2", seconds=ENOUGH)
    assert [moment.raised for moment in trace.moments] == [None, None]
    assert torch_engine.torch.is_grad_enabled()


def test_anothers_alarm_goes_on() -> None:
    """A timer and a handler that were there before are there after, with the time that is left."""

    def ring(signum: int, frame: FrameType | None) -> None:
        raise AssertionError("it rang too early")

    before = signal.signal(signal.SIGALRM, ring)
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, ENOUGH, 7)
    try:
        _run("for i in iter(int, 1): pass")
        assert signal.getsignal(signal.SIGALRM) is ring
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        passed = time.monotonic() - start
        assert (
            ENOUGH - 2 * passed < left < ENOUGH - SECONDS + 0.1
        )  # it may be counted twice, and never left out
        assert interval == 7
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_what_has_a_limit_of_its_own_starts_the_time_again() -> None:
    """As each compilation does; without an alarm it does nothing."""
    limit.start_again()
    alarm = limit.Alarm(0.2)
    alarm.start()
    try:
        for _ in range(3):
            time.sleep(0.1)
            limit.start_again()
        with pytest.raises(limit.TimeLimit):
            time.sleep(1)
    finally:
        alarm.stop()


def test_outside_of_the_main_thread_there_is_no_limit() -> None:
    """And no error about it."""
    traces: list[Trace] = []
    thread = threading.Thread(
        target=lambda: traces.append(run(scenario("a = 1"), torch_engine, seconds=0.001))
    )
    thread.start()
    thread.join()
    assert [moment.raised for moment in traces[0].moments] == [None]


def test_long_ranges_are_ranges() -> None:
    """What makes them interruptible shows nowhere."""
    program = """
r = range(10**9)
print(r, len(r), r[3], r[-1], 5 in r, isinstance(r, range), isinstance(range(3), range), next(iter(r)))
print(range(2), next(reversed(r)))
"""
    trace = _run(program.strip(), seconds=ENOUGH)
    printed = [moment.printed.split("\n")[0].rstrip() for moment in trace.moments if moment.printed]
    assert printed == [
        "range(0, 1000000000) 1000000000 3 999999999 True True True 0",
        "range(0, 2) 999999999",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no limit of addresses")
@pytest.mark.parametrize("program", ["a = torch.ones(10**10)", "a = [0] * 10**10", "a = 'x' * 10**11"])
def test_a_program_that_takes_too_much_memory(program: str) -> None:
    """The allocation fails; the process and its own limit stay."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    trace = _run(program, seconds=ENOUGH)
    raised = trace.moments[0].raised
    assert raised is not None
    assert raised.type == "MemoryError" or "can't allocate memory" in raised.message
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert trace.moments[-1].statement.step == 1  # what comes after it runs


def _hangs() -> None:
    limit.GRACE = 1 - 2 * SECONDS  # type: ignore[assignment]
    _run("c = all(map(max, [range(9999999)] * 100000))")


def test_a_process_that_hangs_in_c_is_ended() -> None:
    """No alarm reaches it: the system ends a process that the runner started for such a program."""
    ((_, answer),) = forked([_hangs], 1)
    assert isinstance(answer, ProcessDied)
    assert str(answer) == "the process hung, and was ended"
