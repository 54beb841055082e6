"""The suite's own scenarios end observed as they do unobserved, or they say ``observe: end``.

And they bind what torch promises, which is not how one processor's kernel rounds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.check.locate import is_scenario_file, specs
from conformance.language.scenario import Scenario
from conformance.lint_deep.reproduce import COUNTERS
from conformance.runner.compare import differences
from conformance.runner.execute import run
from conformance.runner.shared_state import WHOLE, SharedState
from conformance.runner.trace import Trace
from tests import all_specs
from tests.runner.make import torch_engine

FILES = sorted(path for path in specs().rglob("*.yaml") if is_scenario_file(path))


def _changed(scenario: Scenario) -> bool:
    """Compared like an engine: the last bit of LAPACK's results may depend on how its memory is aligned."""
    whole, end = run(scenario, torch_engine), run(scenario, torch_engine, observe="end")
    return bool(differences(scenario, whole, end)) or Trace.from_json(whole.to_json()) != whole


def _cases(path: Path) -> Iterator[Scenario]:
    """The first case of each matrix below tier full, which is enough for every change; all with ``EVERY_CASE=1``."""
    seen = set()
    for scenario in all_specs.library().load(path).scenarios:
        matrix = scenario.id.partition("[")[0]
        if (matrix not in seen and scenario.tier != "full") or os.environ.get("EVERY_CASE"):
            seen.add(matrix)
            yield scenario


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_observing_changes_no_spec(path: Path) -> None:
    """In no state, error, warning or print; and the trace survives JSON."""
    changed = [
        scenario.id
        for scenario in _cases(path)
        if scenario.observe == "each" and not scenario.needs and _changed(scenario)
    ]
    assert changed == []


MOST_LOOSE = 100
"""Of all cases, those with a tolerance of their own instead of that of torch.testing.assert_close."""


def _loose() -> list[Scenario]:
    return [
        each
        for each in all_specs.scenarios()
        if each.tolerance is not None and each.tolerance.rtol + each.tolerance.atol
    ]


def test_few_scenarios_have_a_tolerance_of_their_own() -> None:
    """And its reason names the operation: a word of it stands in the program."""
    loose = _loose()
    assert 0 < len(loose) <= MOST_LOOSE
    unnamed = []
    for scenario in loose:
        assert scenario.tolerance is not None
        named = {word.lower() for word in re.findall(r"\w{3,}", scenario.tolerance.reason)}
        program = {word.lower() for step in scenario.steps for word in re.findall(r"\w{3,}", step.run)}
        if not named & program:
            unnamed.append((scenario.id, scenario.tolerance.reason))
    assert unnamed == []


def test_labels_of_cases_can_be_read() -> None:
    """Together they have fewer than 40 characters: `id[float32-of-one-row]`, and not the text of a program."""
    labels = {
        scenario.id: scenario.id.partition("[")[2].removesuffix("]") for scenario in all_specs.scenarios()
    }
    assert any(labels.values())
    assert [ident for ident, label in labels.items() if len(label) >= 40] == []


def test_a_sample_of_specs_leaves_no_state() -> None:
    """One case of each area, compared once; `conformance lint --deep` looks at all, and says which one it is."""
    by_area: dict[str, Scenario] = {}
    for each in all_specs.scenarios():
        if not each.needs:
            by_area.setdefault(each.area, each)
    assert len(by_area) > 60
    for each in by_area.values():  # what torch imports and makes on first use
        run(each, torch_engine)
    state = SharedState("torch", WHOLE)
    for each in by_area.values():
        run(each, torch_engine)
    assert {*state.changed()} <= COUNTERS
