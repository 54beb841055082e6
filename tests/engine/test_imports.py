"""Modules are imported when first used, and each finds what it needs, whichever is first."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "line",
    [
        "print(torch.ones(1))",
        "torch.set_printoptions(precision=2)",
        "torch.nn.Linear(1, 1)",
        "torch.vmap(torch.exp)(torch.ones(2))",
        "torch.fft.fft(torch.ones(2))",
        "torch.distributions.Normal(0.0, 1.0)",
        "torch.eye(2).to_sparse().coalesce()",
        "torch.optim.SparseAdam([torch.ones(1)])",
    ],
)
def test_whatever_comes_first(line: str) -> None:
    program = f"import conformance.engine as torch; {line}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "line",
    [
        "import conformance.engine as torch; assert {'erf', 'erf_', 'cumsum'} <= {*dir(torch)}",
        "from conformance.engine import *; assert callable(erf)",
        "from conformance.engine import Tensor; assert callable(Tensor.erf_)",
    ],
)
def test_operations_are_there_at_once(line: str) -> None:
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
