"""What all tests share."""

import contextlib
import importlib

import pytest
from hypothesis import HealthCheck, settings

# The YAML below is material of the tests: they hand it to runs of their own.
collect_ignore_glob = ["*.yaml"]

# Torch imports these parts of itself on first use. If a program that the wall ends is the first to use one, the import
# stops halfway, and C++ refuses to register the part's operators a second time: later tests of this process would fail.
for part in ("torch._inductor", "torch.distributed.tensor"):
    with contextlib.suppress(ImportError):
        importlib.import_module(part)

# How long an example takes says more of what else the machine does than of the code. The examples are the same in
# each run: others would fail a change that has no part in it.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs inside tests write lines of this width, whatever terminal the outer one has."""
    monkeypatch.setenv("COLUMNS", "80")
