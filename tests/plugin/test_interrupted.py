"""A run that does not reach its end leaves the results that it had, and the file of an earlier run."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.report.jsonlines import NotAReportError, Report, read
from tests.plugin.conftest import QUICK

COUNT, LAST = 12, 7  # scenarios, and the one in which it happens
SCENARIOS = "scenarios:\n" + "".join(
    f"  - id: s{number}\n    title: neg changes signs\n    run: a = torch.neg(torch.ones({number + 1}))\n"
    for number in range(COUNT)
)
ENGINE = f"""
import os
import signal
import torch as _torch

Tensor, ones = _torch.Tensor, _torch.ones


def neg(values):
    if len(values) == {LAST + 1}:
        pid = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
        os.kill(os.getpid() if os.environ["ENDED"] == "worker" else pid, int(os.environ["SIGNAL"]))
    return _torch.neg(values)
"""
FULL = """
import errno
import os

write = os.pwrite


def full(descriptor, data, at):
    if at >= 2000:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return write(descriptor, data[: 2000 - at], at)


os.pwrite = full
"""
JSON, HTML = "--conformance-json=all.jsonl", "--conformance-html=all.html"


@pytest.fixture(autouse=True)
def files(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that sends a signal, and files of an earlier run."""
    monkeypatch.setenv("PYTEST_ADDOPTS", f"{QUICK} -p no:cacheprovider")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of this process, not of those it starts
    pytester.makefile(".yaml", mine=SCENARIOS)
    pytester.makepyfile(ending=ENGINE)
    for name in ("all.jsonl", "all.html"):
        (pytester.path / name).write_text("earlier")


def left(pytester: pytest.Pytester) -> Report:
    """The files that the run leaves next to those of the earlier one."""
    assert (pytester.path / "all.jsonl").read_text() == "earlier"
    assert (pytester.path / "all.html").read_text() == "earlier"
    report = read(pytester.path / "all.jsonl.part")
    assert not report.passed and report.incomplete.startswith(f"{len(report.results)} of {COUNT} results: ")
    assert {result.verdict for result in report.results} == {"agrees"}
    return report


@pytest.mark.parametrize(("name", "workers"), [("SIGTERM", 0), ("SIGTERM", 2), ("SIGINT", 0), ("SIGHUP", 2)])
def test_a_signal_leaves_what_there_is(
    name: str, workers: int, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the reason, in the results and in the page."""
    monkeypatch.setenv("SIGNAL", str(int(getattr(signal, name))))
    monkeypatch.setenv("ENDED", "run")
    done = pytester.runpytest_subprocess(
        "mine.yaml", "--engine=ending", "--engine-here", "-v", f"-n{workers}", JSON, HTML
    )
    assert done.ret == pytest.ExitCode.INTERRUPTED
    report = left(pytester)
    assert report.incomplete.endswith(f": {name}")
    if not workers:
        assert [result.scenario for result in report.results] == [f"s{number}" for number in range(LAST)]
    page = (pytester.path / "all.html.part").read_text()
    assert f"{len(report.results)} of {COUNT} results: {name}" in page
    assert "Traceback" not in done.stdout.str() + done.stderr.str()


@pytest.mark.parametrize("workers", [0, 2])
def test_a_killed_run_leaves_what_there_is(
    workers: int, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be written then: the file is one after each result."""
    monkeypatch.setenv("SIGNAL", str(int(signal.SIGKILL)))
    monkeypatch.setenv("ENDED", "run")
    done = pytester.runpytest_subprocess(
        "mine.yaml", "--engine=ending", "--engine-here", "-v", f"-n{workers}", JSON
    )
    assert done.ret == -signal.SIGKILL
    if workers and not json.loads(part_footer(pytester))["footer"]["results"]:
        return  # none had arrived
    assert left(pytester).incomplete.endswith(": the run was killed")


def part_footer(pytester: pytest.Pytester) -> str:
    """The last line of the file that is left."""
    return (pytester.path / "all.jsonl.part").read_text().splitlines()[-1]


def test_a_killed_worker_leaves_a_report_that_says_so(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run reaches its end: its file is in its place. Every reader says that it is incomplete."""
    monkeypatch.setenv("SIGNAL", str(int(signal.SIGKILL)))
    monkeypatch.setenv("ENDED", "worker")
    pytester.runpytest_subprocess("mine.yaml", "--engine=ending", "--engine-here", "-v", "-n2", JSON, HTML)
    report = read(pytester.path / "all.jsonl")
    why = f"{COUNT - 1} of {COUNT} results: a worker crashed in mine.yaml::s{LAST}"
    assert report.incomplete == why
    assert why in (pytester.path / "all.html").read_text()
    for form in ("text", "markdown", "json"):
        assert main(["matrix", "all.jsonl", "--format", form]) == 1
        assert f"all.jsonl is incomplete: {why}" in capsys.readouterr().out


@pytest.mark.parametrize("workers", [0, 2])
def test_a_full_disk_leaves_what_there_is(workers: int, pytester: pytest.Pytester) -> None:
    """The run goes on, and does not succeed."""
    pytester.makeconftest(FULL)
    done = pytester.runpytest_subprocess("mine.yaml", f"-n{workers}", JSON)
    assert done.ret == pytest.ExitCode.INTERNAL_ERROR
    done.stdout.fnmatch_lines(
        ["*all.jsonl is not written: No space left on device; all.jsonl.part has the results until then"]
    )
    assert left(pytester).incomplete.endswith(": No space left on device")


def test_a_run_that_stops_early_is_incomplete(pytester: pytest.Pytester) -> None:
    """With -x; it is its own end, so its file is in its place."""
    pytester.makefile(".yaml", mine=SCENARIOS.replace("torch.neg(torch.ones(4))", "torch.nog(torch.ones(4))"))
    done = pytester.runpytest_subprocess("mine.yaml", "-x", "-n0", JSON)
    report = read(pytester.path / "all.jsonl")
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert report.incomplete.startswith(
        f"{len(report.results)} of {COUNT} results: stopping after 1 failures"
    )


def test_two_runs_do_not_write_one_file(pytester: pytest.Pytester) -> None:
    """The second one is refused its file."""
    from conformance.runner.output import Output

    output = Output(pytester.path / "all.jsonl")
    os.write(output.descriptor, b"first")
    done = pytester.runpytest_subprocess("mine.yaml", "-n0", JSON)
    assert done.ret == pytest.ExitCode.INTERNAL_ERROR
    done.stdout.fnmatch_lines(["*all.jsonl is not written: another process is writing it"])
    output.finish()
    assert (pytester.path / "all.jsonl").read_text() == "first"
    with pytest.raises(NotAReportError):
        read(Path("all.jsonl"))
