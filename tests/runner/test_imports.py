"""The runner and the adapters need the standard library alone, besides the engine: they run elsewhere too."""

from __future__ import annotations

import subprocess
import sys

FORBIDDEN = ("yaml", "pydantic", "pytest", "numpy", "torch", "execnet")

PROGRAM = f"""
import sys
for name in {FORBIDDEN}:
    sys.modules[name] = None
import types
import conformance.adapters.divergences, conformance.adapters.recording, conformance.adapters.registry
import conformance.adapters.probe, conformance.adapters.serve
from conformance.adapters.module import ModuleEngine
from conformance.runner.execute import run
from conformance.runner.verdict import judge
from conformance.language.scenario import Position, Scenario, Step
place = Position("a.yaml", 1)
scenario = Scenario("an-id", "title", "topic", "area", place, (Step("a = torch.one()", place),))
engine = ModuleEngine("tiny", types.SimpleNamespace(one=lambda: 1))
trace = run(scenario, engine)
print(judge(scenario, trace, trace).verdict, trace.moments[-1].state)
"""


def test_a_scenario_runs_with_the_standard_library_alone() -> None:
    """From a scenario to a verdict, on an engine that needs nothing."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "agrees {'a': {'value': '1'}}", done.stderr
