"""The wheel: the specs are in it, and it works where there is no checkout."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import conformance

ROOT = Path(conformance.__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
    ]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def run(wheel: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder of its own, with what was unpacked in front of everything else."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(wheel), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_carries_the_specs(wheel: Path) -> None:
    """Every spec of the checkout, and nothing but the package."""
    ours = {path.relative_to(ROOT / "specs") for path in (ROOT / "specs").rglob("*.yaml")}
    packed = wheel / "conformance" / "_specs"
    assert {path.relative_to(packed) for path in packed.rglob("*.yaml")} == ours
    assert {path.name for path in wheel.iterdir() if not path.name.endswith(".dist-info")} == {"conformance"}


def test_the_packed_specs_are_sound(wheel: Path, tmp_path: Path) -> None:
    """`conformance lint` finds nothing wrong with a part of the specs inside the wheel."""
    done = run(wheel, tmp_path, "-m", "conformance", "lint", str(wheel / "conformance" / "_specs" / "dtypes"))
    assert done.stdout.rstrip().endswith("no problems")
    assert done.returncode == 0, done.stdout


def test_the_packed_specs_run(wheel: Path, tmp_path: Path) -> None:
    """`conformance run` names a part of them, from any folder, and leaves its cache there."""
    done = run(
        wheel, tmp_path, "-m", "conformance", "run", "--engine", "torch", "autograd/leaf/activations.yaml"
    )
    assert done.returncode == 0, done.stdout
    assert "agree" in done.stdout
    assert not list(wheel.rglob(".pytest_cache"))
