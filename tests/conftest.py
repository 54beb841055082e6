"""What all tests share."""

import pytest
from hypothesis import HealthCheck, settings

# The YAML below is material of the tests: they hand it to runs of their own.
collect_ignore_glob = ["*.yaml"]

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
