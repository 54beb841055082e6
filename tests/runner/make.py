"""Scenarios from a few lines of program."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from conformance.adapters.torch import engine as torch_engine
from conformance.language.scenario import Expectations, Position, Scenario, Step
from conformance.runner.execute import run
from conformance.runner.trace import Facets, Moment, Trace

__all__ = ["DOUBLED", "at", "facets", "last", "scenario", "step", "torch_engine", "traced"]

DOUBLED = """\
scenarios:
  - id: doubled
    title: a product has a gradient
    run: |
      a = torch.tensor([2.], requires_grad=True)
      b = a * a
      b.backward()
"""
"""A file with one scenario."""


def step(program: str, *, claimed: Expectations | None = None, line: int = 1, **own: Any) -> Step:
    """A step whose text is the program, without its indentation."""
    if "expect" in own:
        own["expect"] = tuple(own["expect"].items())
    return Step(dedent(program).strip("\n"), Position("a.yaml", line), Expectations(**own), claimed)


def scenario(*steps: Step | str, **keys: Any) -> Scenario:
    """A scenario of these steps, or of one with this program."""
    made = tuple(step(one) if isinstance(one, str) else one for one in steps)
    return Scenario("an-id", "a title", "a topic", "area", Position("a.yaml", 1), made, **keys)


def traced(*steps: Step | str, **keys: Any) -> Trace:
    """What torch does."""
    return run(scenario(*steps, **keys), torch_engine)


def last(*steps: Step | str, **keys: Any) -> Moment:
    """The last moment on torch."""
    return traced(*steps, **keys).moments[-1]


def facets(moment: Moment, name: str) -> Facets:
    """What is known of a name."""
    assert moment.state is not None
    return moment.state[name]


def at(trace: Trace, line: int, *turn: int) -> Moment:
    """The moment of a statement of the first step, by its line and turns."""
    return next(
        moment
        for moment in trace.moments
        if (moment.statement.line, moment.statement.turn, moment.statement.kind) == (line, turn, "run")
    )
