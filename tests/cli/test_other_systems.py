"""Systems without forks, timers, limits of memory and ``/proc``, such as Windows, and in part macOS."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import conformance
import conformance.adapters.torch
from conformance.cli import main
from tests.runner.make import DOUBLED

ABSENT = '''\
"""Python reads this when it starts, also in processes that the suite starts."""
import builtins, os, signal, sys

for module, names in {
    os: "fork forkpty sched_getaffinity O_NOFOLLOW O_NOCTTY mkfifo getuid",
    signal: "SIGHUP SIGALRM SIGPROF SIGVTALRM SIGKILL setitimer getitimer alarm pthread_sigmask",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
for name in ("resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
opened = builtins.open

def unless_in_proc(path, *args, **kwargs):
    if str(path).startswith("/proc"):
        raise FileNotFoundError(2, "No such file or directory", path)
    return opened(path, *args, **kwargs)

builtins.open = unless_in_proc
'''


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario and its recording, which were made in that system."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "sitecustomize.py").write_text(ABSENT)
    (folder / "mine.yaml").write_text(DOUBLED)
    done = run(
        folder, "conformance", "record", "--engine", "inhouse", "-o", "here.jsonl", "--in", "mine.yaml"
    )
    assert done.returncode == 0, done.stderr
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in that system."""
    package = Path(conformance.__file__).parents[1]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(package)])}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def test_the_system_lacks_them(elsewhere: Path) -> None:
    """So that the other tests show something."""
    (elsewhere / "lacks.py").write_text(
        "import os, signal\nprint(hasattr(os, 'fork'), hasattr(signal, 'SIGALRM'))"
    )
    assert run(elsewhere, "lacks").stdout == "False False\n"


@pytest.mark.parametrize("options", [[], ["--engine-here"]], ids=["apart", "here"])
def test_scenarios_run(elsewhere: Path, options: list[str]) -> None:
    """In processes of their own, and in this one, without a limit of time or memory."""
    done = run(
        elsewhere,
        "pytest",
        "mine.yaml",
        "--reference",
        "here.jsonl",
        "-q",
        "-p",
        "no:cacheprovider",
        *options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "inhouse 0.1.0 compared with inhouse 0.1.0: 1 agree" in done.stdout


def test_what_needs_forks_is_refused(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, with what to do."""
    monkeypatch.delattr(os, "fork")
    assert main(["lint", "--deep", str(elsewhere / "mine.yaml")]) == 2
    told = capsys.readouterr().err
    assert (
        told == "conformance: this command forks processes, which this system cannot do: use Linux or macOS\n"
    )
