"""The scripts of continuous integration run what README says, tell what fails, and end with the last summary."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

import conformance

ROOT = Path(conformance.__file__).parents[1]

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the scripts copy what git knows")


def test_the_nightly_workflow_calls_its_script() -> None:
    """Which is there, and may be run."""
    steps = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text())["jobs"]["nightly"]["steps"]
    (script,) = [step["run"] for step in steps if "run" in step]
    assert script == ".ci/nightly" and all(
        os.access(ROOT / ".ci" / name, os.X_OK) for name in ("run", "nightly")
    )


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
    if name == "nightly":
        assert ran[-1].endswith("pytest specs -n 2") and any("conformance mutants" in each for each in ran)
