"""Where a program draws its first random number, so that engines with another stream are compared up to there."""

from __future__ import annotations

from collections.abc import Callable

from conformance.language.scenario import Scenario
from conformance.runner.engine import Engine


def draws_of(engine: Engine, scenario: Scenario) -> Callable[[], bool] | None:
    """A function that returns whether the generator has moved since; None for all engines but the reference."""
    if not getattr(engine, "says_what_draws", False):
        return None
    if any("Generator" in step.run for step in scenario.steps):  # the program makes one to draw from it
        return lambda: True
    generator = engine.torch.default_generator

    def state() -> bytes:
        numbers: bytes = generator.get_state().numpy().tobytes()
        return numbers

    before = state()
    return lambda: state() != before
