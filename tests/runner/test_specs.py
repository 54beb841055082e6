"""The suite's own scenarios end observed as they do unobserved, or they say ``observe: end``."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.check.locate import is_scenario_file, specs
from conformance.language.load import load_file
from conformance.language.scenario import Scenario
from conformance.runner.compare import differences
from conformance.runner.execute import run
from conformance.runner.trace import Trace
from tests.runner.make import torch_engine

FILES = sorted(path for path in specs().rglob("*.yaml") if is_scenario_file(path))


def _changed(scenario: Scenario) -> bool:
    """Compared as an engine is: the last bit of what LAPACK gives may hang on where its memory lies."""
    whole, end = run(scenario, torch_engine), run(scenario, torch_engine, observe="end")
    return bool(differences(scenario, whole, end)) or Trace.from_json(whole.to_json()) != whole


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_observing_changes_no_spec(path: Path) -> None:
    """In no state, error, warning or print; and the trace survives JSON."""
    changed = [
        scenario.id
        for scenario in load_file(path).scenarios
        if scenario.observe == "each" and not scenario.needs and _changed(scenario)
    ]
    assert changed == []
