"""The divergence files of the engines that come with the suite, without those engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapters import divergences
from conformance.adapters.divergences import Divergence, unmatched
from conformance.adapters.registry import names
from conformance.language.divergences import load_divergences
from conformance.report.proposal import as_yaml, of_engine
from tests import all_specs

FILES = sorted(Path(divergences.__file__).parent.glob("*.yaml"))


@pytest.fixture(scope="module")
def cases() -> set[str]:
    """The ids of all specs."""
    return {scenario.id for scenario in all_specs.scenarios()}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_is_of_an_engine_and_of_scenarios_that_there_are(file: Path, cases: set[str]) -> None:
    """And stands as it would be proposed, so that a proposal shows what is new alone."""
    declared = load_divergences(file)
    assert declared.problems == ()
    assert declared.of == file.stem
    assert declared.of in names() or declared.of.startswith(("torch-device-", "torch-compile-"))
    entries = [Divergence(**entry) for entry in declared.entries]
    assert unmatched(entries, cases) == ()
    text = file.read_text(encoding="utf-8")
    head = [line for line in text.splitlines() if line.startswith("#")]
    assert text.splitlines() == [*head, *as_yaml(of_engine(declared.of), entries)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_one_reason_is_given_once(file: Path) -> None:
    """For each kind, facets and way of saying where; a reason of two kinds is one too many."""
    declared = load_divergences(file)
    kinds: dict[str, set[str]] = {}
    for entry in declared.entries:
        kinds.setdefault(entry["reason"], set()).add(entry["kind"])
    assert [reason for reason, found in kinds.items() if len(found) > 1] == []
