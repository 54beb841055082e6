"""A program that hangs or crashes in C costs itself only, however the run is started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.runner.last_words import LastPlace, read
from tests.plugin.conftest import QUICK

SCENARIOS = """
scenarios:
  - id: before
    title: runs before
    run: a = torch.ones(2) * 2
  - id: hangs
    title: hangs in C, where no signal is handled
    steps:
      - run: a = torch.ones(2)
      - run: |
          b = 1
          c = all(map(max, [range(9999999)] * 100000))
          d = 2
  - id: between
    title: runs between
    run: a = torch.ones(2) * 2
  - id: crashes
    title: writes to freed memory
    run: |
      x = torch.ones(100000)
      x.untyped_storage().resize_(0)
      x.fill_(1.0)
  - id: after
    title: runs after
    run: a = torch.ones(2) * 2
"""
SECONDS = 3


@pytest.mark.parametrize(
    ("workers", "alone"), [("-n0", True), ("-n2", False)], ids=["on one processor", "with two workers"]
)
def test_hard_programs_cost_themselves(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: str, alone: bool
) -> None:
    """Each has a failure at its line, and the others agree."""
    monkeypatch.setenv("PYTEST_ADDOPTS", QUICK)
    pytester.makefile(".yaml", mine=SCENARIOS)
    if alone:
        pytester.makeconftest(f"import os\n\nos.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[:1]})")
    done = pytester.runpytest_subprocess("mine.yaml", workers, f"--scenario-timeout={SECONDS}")
    done.assert_outcomes(passed=3, failed=2)
    lines = SCENARIOS.strip().splitlines()
    hangs, crashes = (
        next(n for n, line in enumerate(lines, 1) if text in line) for text in ("c = all", "x.fill_")
    )
    done.stdout.fnmatch_lines_random(
        [
            f"*mine.yaml:{hangs}:*: still running after {SECONDS} s, and ended; make it smaller*",
            f"*mine.yaml:{crashes}:*: on torch the interpreter ended: *; leave it out*",
            "*3 agree, 2 unsound*",
        ]
    )


def test_an_interrupt_ends_a_run_that_hangs(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control-C ends the run while a program hangs in C."""
    monkeypatch.setenv("PYTEST_ADDOPTS", QUICK)
    file = pytester.makefile(".yaml", mine=SCENARIOS)
    # What runs in the background of a shell is deaf to interrupts, and all that it starts.
    listening = "import signal, sys, pytest; signal.signal(signal.SIGINT, signal.default_int_handler)"
    arguments = [str(file), "-v", "-n0", "--scenario-timeout=60"]
    command = [sys.executable, "-c", f"{listening}; sys.exit(pytest.main(sys.argv[1:]))", *arguments]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    for line in run.stdout:  # until the first has agreed
        if "before PASSED" in line:
            break
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    rest = run.stdout.read()
    assert run.wait(60) == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in rest


def test_last_words_that_nobody_wrote(tmp_path: Path) -> None:
    """A process that the system ended wrote none, or only the step."""
    assert read(tmp_path / "none") == LastPlace()
    (tmp_path / "step").write_bytes(b"       2")
    assert read(tmp_path / "step") == LastPlace(2, 1, "")
    (tmp_path / "line").write_bytes(b"       2       7")
    assert read(tmp_path / "line") == LastPlace(2, 7, "")
