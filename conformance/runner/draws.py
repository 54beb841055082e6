"""Where a program draws its first random number, so that engines with another stream are compared up to there."""

from __future__ import annotations

from collections.abc import Callable

from conformance.language.scenario import Scenario
from conformance.runner.engine import Engine


def draws_of(engine: Engine, scenario: Scenario) -> Callable[[], bool] | None:
    """A function that returns whether a generator has moved since; None if the engine does not say so.

    Only the reference says so.
    """
    if not getattr(engine, "says_what_draws", False):
        return None
    if any(
        "Generator" in step.run for step in scenario.steps
    ):  # its own ones: it makes them to draw from them
        return lambda: True
    generator = engine.torch.default_generator

    def state() -> bytes:
        numbers: bytes = generator.get_state().numpy().tobytes()
        return numbers

    before = state()
    return lambda: state() != before
