"""What all tests of the plugin share."""

from __future__ import annotations

from importlib import import_module

import pytest

# Before any run inside a run: pytester takes away what the inner one imported, and none of torch, numpy and yaml
# survives a second import.
import_module("numpy")
import_module("torch")
import_module("conformance.language.load")

QUICK = "-p no:hypothesispytest"


@pytest.fixture
def torch_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch is the engine too: it agrees wherever a scenario is sound."""
    monkeypatch.setenv("CONFORMANCE_ENGINE", "torch")


@pytest.fixture(autouse=True)
def quick(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inner runs without hypothesis' plugin, which imports all of hypothesis at the end of each.

    With engines in this process: those that wrap torch need not import it again.
    """
    monkeypatch.setenv("PYTEST_ADDOPTS", f"{QUICK} --engine-here")
