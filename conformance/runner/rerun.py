"""Run a scenario twice on one engine, to find out whether it depends on addresses."""

from __future__ import annotations

from typing import Any

from conformance.language.scenario import Scenario
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.trace import Trace


class TensorKeepingEngine:
    """An engine whose tensors outlive a run; only tensors, since a kept torch.library would keep its operators."""

    def __init__(self, engine: Engine) -> None:
        self._engine = self.original = engine
        self._kept: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def observe(self, value: Any, /) -> Any | None:
        """The engine's own observation."""
        found = self._engine.observe(value)
        if found is not None:
            self._kept.append(value)
        return found


def twice(
    scenario: Scenario, engine: Engine, *, seconds: float = 20, wall: bool = True
) -> tuple[Trace, Trace]:
    """Both traces, to be compared only with each other.

    The tensors of the first run stay alive during the second, so that no address is the same by chance.
    """
    remote = getattr(engine, "traces_of_two_runs", None)
    if remote is not None:
        first, second = remote(scenario, seconds=seconds)
        return first, second
    keeping: Any = TensorKeepingEngine(engine)
    first, second = (run(scenario, keeping, seconds=seconds, wall=wall) for _ in range(2))
    return first, second
