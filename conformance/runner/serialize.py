"""What a run of a scenario depends on, as plain data: what travels to an engine elsewhere, and what is hashed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from conformance.language.scenario import Expectations, Position, Scenario, Step
from conformance.runner.recorder import expressions_of

_text = json.JSONEncoder(sort_keys=True).encode


def to_plain(scenario: Scenario) -> dict[str, Any]:
    """Its id, its programs, which expressions are evaluated after them, and when the state is looked at."""
    steps = [{"run": step.run, "expressions": list(expressions_of(step))} for step in scenario.steps]
    return {"id": scenario.id, "observe": scenario.observe, "steps": steps}


def from_plain(data: dict[str, Any]) -> Scenario:
    """A scenario whose run leaves the same trace."""
    place = Position("", 1)
    steps = tuple(
        Step(step["run"], place, Expectations(expect=tuple((text, None) for text in step["expressions"])))
        for step in data["steps"]
    )
    return Scenario(data["id"], "", "", "", place, steps, observe=data["observe"])


def fingerprint(scenario: Scenario) -> str:
    """A hash of that. Titles, claims and expected values may change without it."""
    return hashlib.sha256(_text(to_plain(scenario)).encode()).hexdigest()[:16]
