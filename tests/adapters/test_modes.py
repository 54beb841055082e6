"""Torch in modes that must change nothing: each is there at the start of every scenario, and gone after it."""

from __future__ import annotations

import pytest

from conformance.adapters.registry import find
from conformance.check.checker import Checker
from conformance.check.engine_under_test import with_divergences
from conformance.runner.execute import run
from tests.runner.make import scenario, torch_engine

SEEN = {
    "torch-anomaly": "torch.is_anomaly_enabled()",
    "torch-deterministic": "torch.are_deterministic_algorithms_enabled()",
    "torch-four-threads": "torch.get_num_threads() == 4",
    "torch-function-mode": "len(torch.overrides._get_current_function_mode_stack()) == 1",
    "torch-default-device": "len(torch.overrides._get_current_function_mode_stack()) == 1",
    "torch-dispatch-mode": "torch.utils._python_dispatch._get_current_dispatch_mode() is not None",
}
GRADIENTS_MEET = scenario(
    "a = torch.tensor([1., 2.], requires_grad=True)\n(a * a).sum().backward()\nprint(a.grad)"
)


@pytest.mark.parametrize("name", SEEN)
def test_a_mode_is_set_in_every_scenario(name: str) -> None:
    """Also in the second one, and not where torch runs alone."""
    state = f"a = {SEEN[name]}"
    for engine, value in ((find(name), "True"), (torch_engine, "False"), (find(name), "True")):
        (moment,) = run(scenario(state), engine).moments
        assert moment.state == {"a": {"value": value}}, moment


@pytest.mark.parametrize("name", SEEN)
def test_what_a_mode_changes_is_declared(name: str) -> None:
    """Gradients that meet are added out of place under a dispatch mode; nothing else changes here."""
    known = with_divergences(find(name))
    result = Checker(torch_engine)(GRADIENTS_MEET, known.engine, known.entries_for("an-id")).result
    assert result.verdict == ("known divergence" if name == "torch-dispatch-mode" else "agrees")
