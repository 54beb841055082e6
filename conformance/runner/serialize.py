"""The parts of a scenario that a run depends on, as plain data: sent to remote engines, and hashed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from conformance.language.scenario import Expectations, Position, Scenario, Step

_text = json.JSONEncoder(sort_keys=True).encode


def to_plain(scenario: Scenario) -> dict[str, Any]:
    """Its id, its programs, the expressions evaluated after them, and when the state is observed."""
    steps = [{"run": step.run, "expressions": list(step.expressions)} for step in scenario.steps]
    return {"id": scenario.id, "observe": scenario.observe, "steps": steps}


def from_plain(data: dict[str, Any]) -> Scenario:
    """A scenario with the same trace as the serialized one; its ``file``, if there is one, has cached programs."""
    place = Position(data.get("file", ""), 1)
    steps = tuple(
        Step(step["run"], place, Expectations(expect=tuple((text, None) for text in step["expressions"])))
        for step in data["steps"]
    )
    return Scenario(data["id"], "", "", "", place, steps, observe=data["observe"])


def fingerprint(scenario: Scenario) -> str:
    """A hash of the serialized scenario; it does not cover titles, claims and expected values."""
    return hashlib.sha256(_text(to_plain(scenario)).encode()).hexdigest()[:16]
