"""The scripts of continuous integration run what README says, tell what fails, and end with the last summary."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import conformance

ROOT = Path(conformance.__file__).parents[1]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the scripts copy what git knows")


def test_the_nightly_workflow_calls_its_scripts() -> None:
    """They exist and are executable; the one without torch runs on each Python from the lowest on."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text())["jobs"]
    scripts = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert scripts == [".ci/nightly", ".ci/recorded"]
    assert all(os.access(ROOT / name, os.X_OK) for name in (".ci/run", *scripts))
    pythons = jobs["without-torch"]["strategy"]["matrix"]["python-version"]
    assert PROJECT["requires-python"] == f">={pythons[0]}"


@pytest.mark.parametrize("name", ["run", "nightly"])
def test_every_command_runs_and_a_failure_is_told(name: str, tmp_path: Path) -> None:
    """On a copy of the tree, with a ``bash`` that only prints and fails where the linter or the faults come."""
    fake = tmp_path / "bash"
    fake.write_text('#!/bin/sh\necho "ran: $2"\ncase "$2" in *ruff*|*mutants*) exit 1;; esac\n')
    fake.chmod(0o755)
    variables = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["/bin/bash", str(ROOT / ".ci" / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    ran = [line.removeprefix("ran: ") for line in lines if line.startswith("ran: ")]
    assert [f"$ {each}" for each in ran] == [line for line in lines if line.startswith("$ ")]
    assert ran[0].startswith("python3 -m venv .venv && .venv/bin/pip install")
    assert lines[-1] == f"ran: {ran[-1]}" and ran[-1].startswith(
        "ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 "
    )
    assert sum(line.startswith("-- FAILED") for line in lines) >= 1
    (lowest,) = [each for each in ran if ".lowest/bin/pytest specs" in each]
    assert _lowest_versions(lowest, tmp_path) == [
        each.replace(">=", "==") for each in PROJECT["dependencies"]
    ]
    if name == "nightly":
        assert ran[-1].endswith("pytest specs -n 2") and any("conformance mutants" in each for each in ran)


def _lowest_versions(command: str, folder: Path) -> list[str]:
    """What the first part of the command writes to a file: the versions that it installs."""
    (folder / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    subprocess.run(["/bin/bash", "-c", command.partition(" && ")[0]], cwd=folder, check=True)
    return (folder / "lowest.txt").read_text().splitlines()
