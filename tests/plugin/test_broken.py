"""Engines broken on purpose fail in the right scenarios with the right message."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.report.jsonlines import read
from tests.plugin.broken import BROKEN, Broken

SCENARIOS = Path(__file__).with_name("scenarios.yaml")


def failures(pytester: pytest.Pytester, *arguments: str) -> dict[str, dict[str, str]]:
    """Of each engine the scenarios that fail, with their verdict in a line."""
    pytester.makefile(".yaml", scenarios=SCENARIOS.read_text())
    pytester.runpytest("scenarios.yaml", "--conformance-json=run.jsonl", "--tb=short", *arguments)
    results = read(pytester.path / "run.jsonl").results
    found: dict[str, dict[str, str]] = {}
    for result in results:
        of_engine = found.setdefault(result.engine, {})
        if result.verdict != "agrees":
            of_engine[result.scenario] = result.reason
    return found


def expected(broken: Broken) -> dict[str, str]:
    """What is written about an engine, with its name."""
    return {scenario: reason.format(broken.name) for scenario, reason in broken.expected.items()}


def test_the_engine_itself_agrees(pytester: pytest.Pytester) -> None:
    """What the broken ones get wrong, the engine that they are copies of does not."""
    assert failures(pytester) == {"inhouse": {}}


@pytest.mark.parametrize("mode", [(), ("-n", "2")], ids=["serial", "xdist"])
def test_broken(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, mode: tuple[str, ...]) -> None:
    """Each fault shows in the scenarios it touches, and in no other."""
    for broken in BROKEN:
        broken.write(pytester.path)
    # Named so, and quietly, they are imported in the workers alone, if there are some.
    monkeypatch.setenv("CONFORMANCE_ENGINE", ",".join(broken.name for broken in BROKEN))
    found = failures(pytester, *mode, "-q")
    assert found.keys() == {broken.name for broken in BROKEN}
    for broken in BROKEN:
        assert found[broken.name] == expected(broken), broken.name
