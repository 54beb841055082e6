"""A scenario twice on one engine, so that it shows whether it hangs on addresses."""

from __future__ import annotations

from typing import Any

from conformance.language.scenario import Scenario
from conformance.runner.engine import Engine
from conformance.runner.execute import run
from conformance.runner.trace import Trace


class _TensorKeepingEngine:
    """An engine whose tensors live on when a run is over; no other value, since a library would keep its operators."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kept: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def observe(self, value: Any, /) -> Any | None:
        """As the engine does."""
        found = self._engine.observe(value)
        if found is not None:
            self._kept.append(value)
        return found


def twice(scenario: Scenario, engine: Engine, *, seconds: float = 20) -> tuple[Trace, Trace]:
    """Both traces, that may be compared with one another alone: while it runs again, what it had the first time is
    still there, so that no address is by chance the same. Of an engine in another interpreter all is freed.
    """
    keeping: Any = _TensorKeepingEngine(engine)
    return run(scenario, keeping, seconds=seconds), run(scenario, keeping, seconds=seconds)
